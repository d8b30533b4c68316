import { expect } from 'chai'

import { storm, WITHOUT_THE_LOCK } from '../support/storm.js'

describe('a storm of edits against writers in two processes', () => {
  it('commits no change under a revision that was replaced or that denies it', async () => {
    const report = await storm({ milliseconds: 2_000, changes: 21, writers: 4 })
    expect(report).to.include({ underDenial: 0, tooLate: 0 })
    // 503 where the policy was replaced again while the change was decided again: the caller is told to retry
    expect(
      Object.keys(report.odd).filter((status) => status !== '503'),
      JSON.stringify(report),
    ).to.deep.equal([])
    expect(report.committed).to.equal(report.acknowledged)
    expect(report.edits).to.be.greaterThan(2)
    expect(report.committed).to.be.greaterThan(20)
  })

  it('finds changes that commit too late when the lock is removed', async () => {
    let tooLate = 0
    // on a busy machine few edits meet a change at the moment that counts
    for (let storms = 0; tooLate === 0 && storms < 5; storms += 1)
      ({ tooLate } = await storm({ milliseconds: 1_000, writers: 4, sabotage: WITHOUT_THE_LOCK }))
    expect(tooLate).to.be.greaterThan(0)
  })
})
