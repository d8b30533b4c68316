import { expect } from 'chai'

import { recordHistory } from '../support/history.js'
import { tellsProcesses } from '../support/own-server.js'
import { requireBuilt } from '../support/program.js'

describe('two services, 24 links, kills, suspensions, revocations and edits in between', () => {
  before(function () {
    if (!tellsProcesses) this.skip()
    requireBuilt()
  })

  it('answer twenty thousand operations as if one had done them, one after another', async () => {
    const { operations, kills, suspensions, revocations, flips, ...found } = await recordHistory(20_000, 20)
    expect(found.unexplained).to.deep.equal([])
    expect(found.wrongRights).to.deep.equal([])
    expect(operations).to.be.at.least(20_000)
    for (const count of [kills, suspensions, revocations, flips]) expect(count).to.be.greaterThan(10)
  })
})
