import { expect } from 'chai'
import * as fc from 'fast-check'

import { knownIn } from '../../src/console/pages/decisions/known-values.js'
import { readQuery } from '../../src/console/pages/decisions/meaning.js'
import { formatQuery, parseQuery, withTerms } from '../../src/console/pages/decisions/query.js'
import { suggest } from '../../src/console/pages/decisions/suggestions.js'
import { timeOf } from '../../src/console/pages/decisions/time-of.js'
import { readTyped } from '../../src/console/pages/decisions/typed.js'
import { TimelineFilter } from '../../src/routes/audit-schemas.js'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const read = (text: string) => readQuery(parseQuery(text), NOW)
const KNOWN = knownIn([], [{ value: 'eve@example.com', hint: 'Eve Doe' }], '2026-11-22')
const texts = (typed: string, query = '') => suggest(typed, parseQuery(query), KNOWN).map(({ text }) => text)

/** Texts as somebody may type them, and any other. */
const typed = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('user', 'effect', 'usr', ':', '"', '\\', ' ', 'deny', '7d', 'ß', '\n') }),
)

describe('a search of the log', () => {
  it('is read from any text, and written so that it is read as the same', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const terms = parseQuery(text)
        expect(parseQuery(formatQuery(terms))).to.deep.equal(terms)
        expect(read(text).faults).to.have.length(terms.length)
      }),
      { numRuns: 2_000 },
    )
  })

  it('writes any terms so that they are read as they were', () => {
    const name = fc.oneof(fc.constant(null), fc.stringMatching(/^[a-z]{1,8}$/))
    const term = fc
      .record({ name, value: fc.string({ unit: 'grapheme' }) })
      .filter((each) => each.name !== null || each.value !== '')
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        expect(parseQuery(formatQuery(terms))).to.deep.equal(terms)
      }),
    )
  })

  it('leaves nothing of a text out but spaces, quotes and backslashes', () => {
    const bare = (text: string) => text.replaceAll(/[\s"\\]/gu, '').toLowerCase()
    fc.assert(
      fc.property(typed, (text) => {
        expect(bare(formatQuery(parseQuery(text)))).to.equal(bare(text))
      }),
    )
  })

  it('asks the service for nothing that it would refuse', () => {
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('7d', '2026-02-30', '4xx', 'eve@example.com', '0', '1970-01-01', '2026-11-01'),
    )
    const qualifier = fc.constantFrom('user', 'link', 'rule', 'status', 'revision', 'request', 'since', 'until', 'kind')
    fc.assert(
      fc.property(fc.array(fc.record({ name: qualifier, value })), (terms) => {
        expect(TimelineFilter.safeParse(readQuery(terms, NOW).asked).error).to.equal(undefined)
      }),
    )
  })

  it('knows each qualifier', () => {
    const query =
      'user:eve@example.com action:link:delete link:launch effect:deny rule:R5 layer:object status:4xx ' +
      'revision:42 request:0f63-1 kind:decision since:7d until:2026-11-22T10:00Z'
    expect(read(query)).to.deep.equal({
      asked: {
        user: 'eve@example.com',
        action: 'link:delete',
        link: 'launch',
        effect: 'deny',
        rule: 'R5',
        layer: 'object',
        status: '4xx',
        revision: '42',
        request: '0f63-1',
        kind: 'decision',
        from: '2026-11-15T12:00:00.000Z',
        to: '2026-11-22T10:00:00.000Z',
      },
      faults: Array.from({ length: 12 }, () => null),
    })
  })

  it('says of each part that means nothing why, and takes none of it for an answer', () => {
    expect(read('usr:eve effect:maybe eve effect:deny user:eve')).to.deep.equal({
      asked: {},
      faults: ['unknown', 'effect', 'word', 'twice', 'user'],
    })
  })

  it('says so of an end that is not after the beginning', () => {
    for (const backwards of ['until:30d since:7d', 'until:2026-11-20Z since:2026-11-21Z', 'until:7d since:7d'])
      expect(read(backwards).faults, backwards).to.deep.equal(['backwards', null])
    expect(read('since:2026-11-20Z until:2026-11-20Z').faults).to.deep.equal([null, null])
  })

  it('takes the label of a rule in any case, and the code of a refusal as it is', () => {
    for (const [typed, asked] of [
      ['r5', 'R5'],
      ['R5', 'R5'],
      ['freeze-2', 'FREEZE-2'],
      ['Freeze', 'FREEZE'],
      ['code_taken', 'code_taken'],
      ['conflict', 'conflict'],
    ] as const)
      expect(read(`rule:${typed}`).asked, typed).to.deep.equal({ rule: asked })
  })

  it('replaces a term by another of its name, and keeps the rest where it is', () => {
    const terms = withTerms(parseQuery('user:1 effect:deny'), parseQuery('user:2 link:x'))
    expect(formatQuery(terms)).to.equal('user:2 effect:deny link:x')
  })

  it('takes spans, days of this zone, and times', () => {
    expect(timeOf('90m', NOW, 'start')).to.equal('2026-11-22T10:30:00.000Z')
    expect(timeOf('2026-11-01', NOW, 'start')).to.equal(new Date(2026, 10, 1).toISOString())
    expect(timeOf('2026-11-01', NOW, 'end')).to.equal(new Date(2026, 10, 2).toISOString())
    expect(timeOf('2026-11-01T08:30', NOW, 'end')).to.equal(new Date(2026, 10, 1, 8, 30).toISOString())
    expect(timeOf('2026-12-31Z', NOW, 'end')).to.equal('2027-01-01T00:00:00.000Z')
    for (const text of ['2026-02-30', '2026-13-01', '2026-01-01T25:00', '2026-01-01T10:61', '7w', 'yesterday', ''])
      expect(timeOf(text, NOW, 'start'), text).to.equal(null)
  })

  it('suggests qualifiers, then values, and what a word may mean', () => {
    expect(texts('')).to.include.members(['user:', 'kind:'])
    expect(texts('', 'user:7')).to.not.include('user:')
    expect(texts('re')).to.deep.equal(['revision:', 'request:'])
    expect(texts('effect:')).to.deep.equal(['effect:allow', 'effect:deny'])
    expect(texts('user:doe')).to.deep.equal(['user:eve@example.com'])
    expect(texts('action:del')).to.deep.equal(['action:link:delete', 'action:user:delete'])
    expect(texts('launch')).to.deep.equal(['link:launch', 'rule:launch', 'request:launch'])
    expect(texts('eve@example.com')).to.deep.equal([
      'user:eve@example.com',
      'rule:eve@example.com',
      'request:eve@example.com',
    ])
    expect(texts('user:delete')).to.include('action:user:delete')
    expect(texts('usr:eve')).to.deep.equal([])
  })

  it('preselects what completes a text, and nothing if that may mean many things or is whole', () => {
    const preselected = (text: string) => readTyped(text, [], KNOWN).preselected?.text ?? null
    expect(preselected('re')).to.equal('revision:')
    expect(preselected('effect:')).to.equal('effect:allow')
    expect(preselected('user:doe')).to.equal('user:eve@example.com')
    // a word that is no qualifier, a whole term, an unknown qualifier, nothing
    for (const text of ['launch', 'effect:deny', 'usr:eve', '', ' ']) expect(preselected(text), text).to.equal(null)
  })

  it('tells a whole term from one that is unknown or begun', () => {
    const stateOf = (text: string) => {
      const { isWhole, isUnknown } = readTyped(text, parseQuery('effect:allow'), KNOWN)
      return { isWhole, isUnknown }
    }
    expect(stateOf('effect:deny')).to.deep.equal({ isWhole: true, isUnknown: false })
    expect(stateOf('effect:de')).to.deep.equal({ isWhole: false, isUnknown: false })
    expect(stateOf('usr:eve')).to.deep.equal({ isWhole: false, isUnknown: true })
    expect(stateOf('launch')).to.deep.equal({ isWhole: false, isUnknown: false })
  })
})
