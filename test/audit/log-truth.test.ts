import { expect } from 'chai'

import { logTruth } from '../support/log-truth.js'

describe('the decision log against what happened', () => {
  it('holds one allow record for every committed change and none without its change, through a kill -9', async () => {
    const { answered, changes, refusals, cutOff, forgotten, ...faults } = await logTruth(600)
    expect(faults).to.deep.equal({ unrecorded: [], unfounded: [], lost: [], chainFaults: 0 })
    // what a crash may lose: refusals of the last quarter of a second, and the time that their batch was on its way
    for (const before of forgotten) expect(before, JSON.stringify(forgotten)).to.be.within(-50, 500)
    expect(answered + cutOff).to.equal(600)
    expect(Math.min(changes, refusals)).to.be.greaterThan(50)
  })
})
