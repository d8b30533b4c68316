import { expect } from 'chai'

import { takeRightsAtRandom } from '../support/rights-taken.js'
import { startTestService } from '../support/service.js'
import type { TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('rights that are taken away at random amid changes', () => {
  let service: TestService
  let other: TestService
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  it('have no change of theirs committed after their end was acknowledged', async () => {
    const { taken, committedAfterwards } = await takeRightsAtRandom([service, other], 60)
    expect(committedAfterwards).to.deep.equal([])
    expect(Object.keys(taken)).to.have.members(['suspension', 'demotion', 'revocation'])
  })
})
