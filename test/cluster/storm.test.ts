import { expect } from 'chai'

import { requireBuilt } from '../support/program.js'
import { storm } from '../support/storm.js'

describe('the storm of edits against two nodes of two workers behind a balancer', () => {
  it('commits no change under a revision that was replaced or that denies it, on any of four processes', async () => {
    requireBuilt()
    const report = await storm({ milliseconds: 1_500, changes: 21, writers: 8, workers: 2 })
    expect(report).to.include({ underDenial: 0, tooLate: 0, processes: 4 })
    // 503 where the policy was replaced again while the change was decided again: the caller is told to retry
    expect(
      Object.keys(report.odd).filter((status) => status !== '503'),
      JSON.stringify(report),
    ).to.deep.equal([])
    expect(report.committed).to.equal(report.acknowledged)
    expect(report.edits).to.be.greaterThan(2)
    expect(report.committed).to.be.greaterThan(20)
  })
})
