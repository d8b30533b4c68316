import { expect } from 'chai'

import { killAtRandom } from '../support/kills.js'
import { tellsProcesses } from '../support/own-server.js'
import { requireBuilt } from '../support/program.js'

describe('kill -9 of the service and the database amid eight writers', () => {
  before(function () {
    if (!tellsProcesses) this.skip()
    requireBuilt()
  })

  it('leaves every acknowledged change with its record, nothing half done, and the log whole', async () => {
    const { verdict, acknowledged, lost, halfDone, wrong } = await killAtRandom(3)
    expect({ lost, halfDone, wrong }).to.deep.equal({ lost: [], halfDone: [], wrong: [] })
    expect(verdict).to.match(/^0: intact: /)
    expect(acknowledged).to.be.greaterThan(15)
  })
})
