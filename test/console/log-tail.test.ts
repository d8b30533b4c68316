import { expect } from 'chai'

import {
  ASKED_ENTRIES,
  MOST_ENTRIES,
  START,
  needsReload,
  receive,
  shown,
  type Tail,
} from '../../src/console/pages/decisions/tail.js'

const entry = (id: number) => ({ id: String(id), request_id: id % 10 === 0 ? `own-${id}` : `r${id}` })
/** Entries as the service returns them, newest first. */
const downFrom = (newest: number, count: number) => Array.from({ length: count }, (_, i) => entry(newest - i))
const isOwn = (id: string) => id.startsWith('own-')
const page = (newest: number, count: number, next: string | null = null) => ({ items: downFrom(newest, count), next })

describe('the tail of the log', () => {
  it('keeps each new entry once, and counts those of others', () => {
    const list = page(8, 3)
    const once = receive(START, downFrom(11, 5), list, isOwn)
    expect(once.waiting).to.deep.equal([entry(9), entry(10), entry(11)])
    expect(once).to.include({ fresh: 2, hasGap: false })
    const twice = receive(once, downFrom(12, 5), list, isOwn)
    expect(twice.waiting.map(({ id }) => id)).to.deep.equal(['9', '10', '11', '12'])
    expect(twice.fresh).to.equal(3)
  })

  it('leaves older entries to the next page, where there is one', () => {
    const older = downFrom(5, 2)
    expect(receive(START, older, page(8, 3, 'cursor'), isOwn).waiting).to.deep.equal([])
    expect(receive(START, older, page(8, 3), isOwn).fresh).to.equal(2)
  })

  it('asks for a reload if a response cannot hold all that is new, or the list would be too long', () => {
    const list = page(100, 10)
    const full = receive(START, downFrom(300, ASKED_ENTRIES), list, isOwn)
    expect(needsReload(full, 10)).to.equal(true)
    const one = receive(START, [entry(101)], list, isOwn)
    expect(needsReload(one, 10)).to.equal(false)
    expect(needsReload(one, MOST_ENTRIES)).to.equal(true)
    // nothing is missing where a full response continues what waits already
    const first = receive(START, downFrom(140, 40), list, isOwn)
    expect(receive(first, downFrom(160, ASKED_ENTRIES), list, isOwn).hasGap).to.equal(false)
  })

  it('holds no more than a page does, however long it is paused', () => {
    let tail: Tail = { ...START, isPaused: true }
    for (let newest = 120; newest <= 3_100; newest += 20)
      tail = receive(tail, downFrom(newest, ASKED_ENTRIES), page(100, 10, 'cursor'), isOwn)
    expect(tail.waiting).to.have.length(MOST_ENTRIES)
    expect(tail).to.include({ isPaused: true, fresh: 2_700, hasGap: true })
  })

  it('marks what it added until the list is reloaded, and is connected again by a response', () => {
    const lost = { ...START, lost: { since: new Date(), againIn: 3 } }
    const received = receive(lost, [entry(9)], page(8, 3), isOwn)
    expect(received.lost).to.equal(null)
    const added = shown(received, false)
    expect(added).to.deep.include({ waiting: [], fresh: 0, hasGap: false, added: new Set(['9']) })
    expect(shown(receive(added, [entry(11)], page(9, 4), isOwn), false).added).to.deep.equal(new Set(['9', '11']))
    expect(shown(added, true).added).to.deep.equal(new Set())
  })
})
