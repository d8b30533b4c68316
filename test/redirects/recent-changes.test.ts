import { expect } from 'chai'
import * as fc from 'fast-check'

import { createRecentChanges } from '../../src/redirects/recent-changes.js'
import { until } from '../support/until.js'

describe('the memory of recent changes', () => {
  it('never misses a code that changed a moment ago, however little it may keep', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 40 }),
        (most, codes) => {
          const changes = createRecentChanges(60_000, most)
          for (const code of codes) changes.note(code)
          return codes.every(changes.has)
        },
      ),
    )
  })

  it('knows no other code, until all may have changed', () => {
    const changes = createRecentChanges(60_000)
    changes.note('a')
    expect([changes.has('a'), changes.has('b')]).to.deep.equal([true, false])
    changes.note('*')
    expect([changes.has('a'), changes.has('b')]).to.deep.equal([true, true])
  })

  it('lets go of a code after its time, and of no younger one', async () => {
    const changes = createRecentChanges(40)
    changes.note('old')
    await until('the old code is dropped', () => !changes.has('old'))
    changes.note('young')
    expect([changes.has('old'), changes.has('young')]).to.deep.equal([false, true])
  })
})
