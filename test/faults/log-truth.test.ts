import { expect } from 'chai'

import { logTruth } from '../support/log-truth.js'

describe('the decision log after 5,000 requests and a kill -9 in the middle', () => {
  it('holds one allow record for every committed change and none without its change', async () => {
    const { changes, refusals, forgotten, ...report } = await logTruth(5_000, 11)
    expect(report, JSON.stringify({ changes, refusals, forgotten })).to.deep.include({
      unrecorded: [],
      unfounded: [],
      lost: [],
      chainFaults: 0,
    })
    for (const before of forgotten) expect(before).to.be.within(-50, 500)
    expect(changes).to.be.greaterThan(1_000)
  })
})
