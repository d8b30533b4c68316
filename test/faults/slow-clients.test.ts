import { expect } from 'chai'

import { tellsProcesses } from '../support/own-server.js'
import { requireBuilt } from '../support/program.js'
import { amongSlowClients } from '../support/slow-clients.js'

describe('five thousand idle connections, slow heads, slow bodies, and exports that nobody reads', () => {
  before(function () {
    if (!tellsProcesses) this.skip()
    requireBuilt()
  })

  it('at most double the 99th percentile of other callers, who are all served; descriptors are bounded', async () => {
    const report = await amongSlowClients({
      idle: 5_000,
      slow: 200,
      readers: 50,
      rounds: 5,
      roundMs: 3_000,
      maxConnections: 10_000,
    })
    console.log(JSON.stringify(report))
    expect(report.failed).to.deep.equal([])
    // two exports of a pool of eight; all others are asked to come again
    expect(report.exports).to.deep.equal({ 200: 10, 503: 240 })
    expect(report.descriptors.most).to.be.within(5_400, 5_600)
    expect(report.ratio).to.be.at.most(2)
  })

  it('more than may be are closed as they come', async () => {
    const { descriptors } = await amongSlowClients({
      idle: 3_000,
      slow: 10,
      readers: 2,
      rounds: 1,
      roundMs: 100,
      maxConnections: 1_000,
    })
    expect(descriptors.most).to.be.at.most(1_100)
  })
})
