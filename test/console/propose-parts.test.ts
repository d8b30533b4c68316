import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Replay } from 'linkgate/client'

import { foldRows } from '../../src/console/pages/propose/fold-rows.js'
import { partsOf, together } from '../../src/console/parts/policy/replays.js'

type Group = Replay['decisions'][number]
type Example = Replay['examples'][number]

const subject = (id: string, count: number) => ({ id, count }) as Group['subjects'][number]

const group = (more: Partial<Group>): Group => ({
  role: 'editor',
  action: 'link:delete',
  relation: 'own',
  layer: 'object',
  count: 1,
  in_force: null,
  before: { effect: 'allow', rule: 'R5' },
  after: { effect: 'deny', rule: 'FREEZE' },
  users: 1,
  subjects: [subject('7', 1)],
  ...more,
})
const replay = (more: Partial<Replay>): Replay => ({
  window: '1d',
  from: '2026-11-22T12:00:00Z',
  to: '2026-11-23T12:00:00Z',
  considered: 10,
  changed: 1,
  allow_to_deny: 1,
  deny_to_allow: 0,
  by_other_rule: 2,
  already: 0,
  subjects: 1,
  undetermined: 1,
  decisions: [group({})],
  not_listed: 0,
  examples: [],
  ...more,
})
const example = (time: string): Example => ({
  time,
  request_id: time,
  subject: { id: '7', role: 'editor' } as Example['subject'],
  action: 'link:delete',
  resource: { type: 'link', code: 'a' },
  before: { effect: 'allow', rule: 'R5' },
  after: { effect: 'deny', rule: 'FREEZE' },
})

describe('a past that is replayed in parts', () => {
  it('is the days of the week, the newest first, none twice and none missing', () => {
    const now = Date.parse('2026-11-23T12:00:00Z')
    const parts = partsOf('7d', now)
    expect(parts.map(({ replay_until: until }) => Date.parse(until ?? ''))).to.deep.equal(
      Array.from({ length: 7 }, (_, day) => now - day * 86_400_000),
    )
    expect(new Set(parts.map((part) => part.replay))).to.deep.equal(new Set(['1d']))
    expect(partsOf('24h', now)).to.deep.equal([{ replay: '24h', replay_until: undefined }])
  })

  it('adds up, names each user once, and shows the newest examples', () => {
    const sum = together([
      replay({ examples: [example('2026-11-21'), example('2026-11-19')] }),
      replay({
        changed: 3,
        allow_to_deny: 3,
        decisions: [
          group({
            users: 2,
            subjects: [subject('7', 2), subject('8', 1)],
          }),
          // the same answer by another rule is nobody's change
          group({ after: { effect: 'allow', rule: 'X' }, subjects: [subject('9', 2)] }),
          group({ after: null, subjects: [subject('10', 1)] }),
        ],
        examples: [example('2026-11-20')],
      }),
    ])
    expect(sum).to.include({ considered: 20, changed: 4, allowToDeny: 4, byOtherRule: 4, undetermined: 2 })
    expect(sum.users).to.deep.equal([
      { id: '7', count: 3 },
      { id: '8', count: 1 },
    ])
    expect(sum.isEverybody).to.equal(true)
    expect(sum.examples.map(({ time }) => time)).to.deep.equal(['2026-11-21', '2026-11-20', '2026-11-19'])
    expect(together([replay({ decisions: [group({ users: 200 })] })]).isEverybody).to.equal(false)
    expect(together([replay({ not_listed: 1 })]).isEverybody).to.equal(false)
  })
})

describe('rows that are folded', () => {
  it('keep every row once and in order, and those to keep in sight', () => {
    fc.assert(
      fc.property(fc.nat(120), fc.array(fc.nat(119), { maxLength: 5 }), (length, kept) => {
        const rows = Array.from({ length }, (_, at) => ({ id: String(at) }))
        const isKept = ({ id }: { readonly id: string }) => kept.includes(Number(id))
        const blocks = foldRows(rows, isKept)
        expect(blocks.flatMap((block) => (block.is === 'row' ? [block.row] : block.rows))).to.deep.equal(rows)
        for (const block of blocks) if (block.is === 'fold') expect(block.rows.some(isKept)).to.equal(false)
        if (length <= 40) expect(blocks.every(({ is }) => is === 'row')).to.equal(true)
        else expect(blocks.filter(({ is }) => is === 'row').length).to.be.at.most(6 + 5 * new Set(kept).size)
      }),
    )
  })
})
