import { expect } from 'chai'

import { fromLocal, toLocal } from '../../src/console/parts/local-time.js'

describe('a time that somebody types', () => {
  it('is the same moment there and back, and none where nothing was typed', () => {
    const typed = '2026-12-31T14:30'
    expect(toLocal(fromLocal(typed))).to.equal(typed)
    expect([toLocal(null), fromLocal('')]).to.deep.equal(['', null])
  })

  it('is sent as it is where it is none, for the service to refuse', () => {
    for (const typed of ['202614-12-31T14:30', 'soon']) expect(fromLocal(typed)).to.equal(typed)
  })
})
