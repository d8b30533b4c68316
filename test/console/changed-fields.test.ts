import { expect } from 'chai'

import { changedFields, conflictRows, differences, type Settings } from '../../src/console/pages/link/changed-fields.js'
import { fromLocal, toLocal } from '../../src/console/parts/local-time.js'

const LINK: Settings = {
  target: 'https://example.com/',
  code: 'spring',
  title: 'Spring',
  note: 'one\ntwo',
  tags: ['a', 'b'],
  status: 302,
  starts_at: null,
  expires_at: '2026-12-31T22:59:59.000Z',
  max_visits: null,
  forward_query: false,
  active: true,
  has_password: false,
}

describe('the changed fields of a link', () => {
  it('are those alone whose values differ', () => {
    expect(changedFields(LINK, { ...LINK })).to.deep.equal({})
    expect(changedFields(LINK, { ...LINK, title: null, tags: ['b', 'a'], max_visits: 5 })).to.deep.equal({
      title: null,
      tags: ['b', 'a'],
      max_visits: 5,
    })
    const all = {
      target: 'https://example.org/',
      code: 'summer',
      title: 'Summer',
      note: null,
      tags: [],
      status: 301 as const,
      starts_at: '2026-06-01T00:00:00.000Z',
      expires_at: null,
      max_visits: 1,
      forward_query: true,
    }
    expect(changedFields(LINK, all)).to.deep.equal(all)
  })

  it('have no end that lost its seconds in the form, but one that moved by a minute', () => {
    const ends = (text: string | null) => changedFields(LINK, { ...LINK, expires_at: text })
    expect(ends('2026-12-31T22:59:00.000Z')).to.deep.equal({})
    expect(ends('2026-12-31T23:59:00+01:00')).to.deep.equal({})
    expect(ends('2026-12-31T23:00:00.000Z')).to.deep.equal({ expires_at: '2026-12-31T23:00:00.000Z' })
    expect(ends(null)).to.deep.equal({ expires_at: null })
    expect(ends('202614-12-31T14:30'), 'the service refuses it').to.deep.equal({ expires_at: '202614-12-31T14:30' })
  })

  it('have no time that a form shows as it was, also in an hour that the clocks repeat', () => {
    const { TZ: zone } = process.env
    process.env['TZ'] = 'Europe/Berlin'
    try {
      // 02:30 for the second time in the night of 25 October
      const time = '2026-10-25T01:30:00.000Z'
      const link = { ...LINK, starts_at: time, expires_at: time }
      const filled = fromLocal(toLocal(time))
      expect(changedFields(link, { ...link, starts_at: filled, expires_at: filled })).to.deep.equal({})
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  it('have no note whose lines end in another way', () => {
    expect(changedFields(LINK, { ...LINK, note: 'one\r\ntwo' })).to.deep.equal({})
    expect(changedFields({ ...LINK, note: null }, { ...LINK, note: null })).to.deep.equal({})
  })
})

describe('two edits of a link at once', () => {
  it('are told setting by setting, with who changed it', () => {
    const mine = { ...LINK, title: 'Mine', note: 'mine' }
    const theirs = { ...LINK, title: 'Theirs', active: false }
    expect(conflictRows(LINK, mine, theirs, false)).to.deep.equal([
      { name: 'title', mine: true, theirs: true },
      { name: 'active', mine: false, theirs: true },
      { name: 'note', mine: true, theirs: false },
    ])
  })

  it('have a password that was typed here, or set by them', () => {
    const row = { name: 'has_password', mine: true, theirs: false }
    expect(conflictRows(LINK, LINK, LINK, true)).to.deep.equal([row])
    const theirs = { ...LINK, has_password: true }
    expect(conflictRows(LINK, LINK, theirs, true)).to.deep.equal([{ ...row, theirs: true }])
    expect(differences(LINK, theirs)).to.deep.equal(['has_password'])
  })
})
