import { holdAgainstModel } from '../support/contract-model.js'
import { startTestService, type TestService } from '../support/service.js'

describe('links, users, tokens and edits of the policy, in any order', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  it('are answered as a model of the contract says, in twenty-five sequences', () =>
    holdAgainstModel(service, { numRuns: 25, seed: 4 }))
})
