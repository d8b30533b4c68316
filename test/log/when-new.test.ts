import { expect } from 'chai'

import { whenNew } from '../../src/log/when-new.js'

describe('what is told when it is new', () => {
  it('is a fault that is another than the last one, and one that comes again after it was over', () => {
    const told: unknown[] = []
    const tell = whenNew((fault) => told.push(fault))
    const [away, again, slow] = [new Error('away'), new Error('away'), new Error('slow')]
    for (const fault of [away, again, slow, away, again, null, null, again, again]) tell(fault)
    expect(told).to.deep.equal([away, slow, away, null, again])
  })
})
