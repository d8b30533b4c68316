import { expect } from 'chai'

import { onChange } from '../../src/log/on-change.js'

describe('a fault that is reported on change', () => {
  it('is reported when it differs from the last one, and when it comes back after it was over', () => {
    const told: unknown[] = []
    const tell = onChange((fault) => told.push(fault))
    const [away, again, slow] = [new Error('away'), new Error('away'), new Error('slow')]
    for (const fault of [away, again, slow, away, again, null, null, again, again]) tell(fault)
    expect(told).to.deep.equal([away, slow, away, null, again])
  })
})
