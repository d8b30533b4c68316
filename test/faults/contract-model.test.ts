import { holdAgainstModel } from '../support/contract-model.js'
import { startTestService, type TestService } from '../support/service.js'

describe('links, users, tokens and edits of the policy, in any order', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  it('are answered as a model of the contract says, in two thousand sequences', () =>
    holdAgainstModel(service, { numRuns: 2_000, seed: Date.now() % 1_000_000 }))
})
