import { expect } from 'chai'

import { eventOf, newestOf } from '../../src/console/pages/link/link-event.js'

const ENTRY = {
  id: '1',
  time: '2026-11-23T04:31:00.000Z',
  kind: 'decision',
  subject: { id: '7' },
  effect: 'allow',
  rule: 'R5',
}
/** An entry as it comes from the service. */
const entry = (more: object): Parameters<typeof eventOf>[0] => JSON.parse(JSON.stringify({ ...ENTRY, ...more }))
const WHEN = { id: '1', time: '2026-11-23T04:31:00.000Z', who: '7' }

describe('what the log says of a link', () => {
  it('is who made, changed and deleted it', () => {
    expect(eventOf(entry({ action: 'link:create' }))).to.deep.equal({ ...WHEN, what: 'made' })
    expect(eventOf(entry({ action: 'link:update' }))).to.deep.equal({ ...WHEN, what: 'changed' })
    expect(eventOf(entry({ action: 'link:delete' }))).to.deep.equal({ ...WHEN, what: 'deleted' })
  })

  it('is what it was called, and whose it was', () => {
    const renamed = entry({ action: 'link:update', change: { code: ['a', 'b'] } })
    expect(eventOf(renamed)).to.deep.equal({ ...WHEN, what: 'renamed', from: 'a', to: 'b' })
    const given = entry({ action: 'link:transfer', change: { owner: ['7', '9'] } })
    expect(eventOf(given)).to.deep.equal({ ...WHEN, what: 'given', from: '7', to: '9' })
    const restored = entry({ action: 'link:delete', change: { restored: true } })
    expect(eventOf(restored)).to.deep.equal({ ...WHEN, what: 'restored' })
  })

  it('is who was refused what, by which rule', () => {
    expect(eventOf(entry({ action: 'link:delete', effect: 'deny' }))).to.deep.equal({
      ...WHEN,
      what: 'refused',
      action: 'link:delete',
      rule: 'R5',
    })
  })

  it('is what the command line did, who is nobody', () => {
    const imported = entry({
      kind: 'link',
      subject: { id: null },
      effect: null,
      change: { what: 'added', owner: '7', by: 'linkgate command line, ann' },
    })
    expect(eventOf(imported)).to.deep.equal({ ...WHEN, who: null, what: 'made' })
  })

  it('is nothing where somebody only read it', () => {
    expect(eventOf(entry({ action: 'link:read' }))).to.equal(null)
    expect(eventOf(entry({ action: 'toString' }))).to.equal(null)
  })

  it('comes newest first, each entry once, out of several lists', () => {
    const made = entry({ id: '9', action: 'link:create' })
    const changed = entry({ id: '10', action: 'link:update' })
    const deleted = entry({ id: '11', action: 'link:delete' })
    const ids = (most: number) => newestOf([[changed, made], [deleted], [changed]], most).map(({ id }) => id)
    expect(ids(10)).to.deep.equal(['11', '10', '9'])
    expect(ids(2)).to.deep.equal(['11', '10'])
  })
})
