import { expect } from 'chai'

import { storm } from '../support/storm.js'

describe('thirty seconds of the storm', () => {
  it('commits at least 5,000 changes, none of them under a revision that was replaced or that denies it', async () => {
    const report = await storm({ milliseconds: 30_000, changes: 5_000, writers: 4 })
    expect(report).to.include({ underDenial: 0, tooLate: 0 })
    expect(
      Object.keys(report.odd).filter((status) => status !== '503'),
      JSON.stringify(report),
    ).to.deep.equal([])
    expect(report.committed).to.equal(report.acknowledged)
    expect(report.committed).to.be.at.least(5_000)
  })
})
