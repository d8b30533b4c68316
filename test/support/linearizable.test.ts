import { expect } from 'chai'

import { findUnexplained, type Operation } from './linearizable.js'

const op = (
  kind: Operation['kind'],
  value: Operation['value'],
  start: number,
  end: number,
  done: boolean | undefined = true,
): Operation => ({ kind, value, start, end, done })

describe('the search for one order of all operations on a link', () => {
  it('finds it where answers overlap', () => {
    expect(
      findUnexplained([
        op('create', 'a', 0, 2),
        op('read', 'b', 1, 6),
        op('update', 'b', 3, 5),
        op('read', null, 0, 1),
        op('delete', null, 7, 8),
        op('read', null, 9, 10),
      ]),
    ).to.equal(null)
  })

  it('lets a lost answer have happened late, or never', () => {
    const lost = op('update', 'b', 2, Number.POSITIVE_INFINITY, undefined)
    const created = op('create', 'a', 0, 1)
    for (const later of [
      [op('read', 'a', 3, 4), op('read', 'b', 5, 6)],
      [op('read', 'a', 3, 4)],
      [op('read', 'b', 3, 4)],
    ])
      expect(findUnexplained([created, lost, ...later])).to.equal(null)
    const gone = op('delete', null, 2, Number.POSITIVE_INFINITY, undefined)
    expect(findUnexplained([created, gone, op('read', 'a', 3, 4), op('read', null, 5, 6)])).to.equal(null)
  })

  it('names what cannot be: a stale read, a lost update, a change that is taken back', () => {
    const created = op('create', 'a', 0, 1)
    const updated = op('update', 'b', 2, 3)
    const stale = op('read', 'a', 4, 5)
    expect(findUnexplained([created, updated, stale])).to.equal(stale)
    const back = op('read', 'a', 6, 7)
    expect(findUnexplained([created, updated, op('read', 'b', 4, 5), back])).to.equal(back)
    const twice = op('create', 'c', 2, 3)
    expect(findUnexplained([created, twice])).to.equal(twice)
    const never = op('read', 'z', 2, 3)
    expect(findUnexplained([created, never])).to.equal(never)
  })
})
