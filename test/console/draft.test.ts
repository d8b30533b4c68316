import { expect } from 'chai'
import * as fc from 'fast-check'

import { LinkgateProblem } from '../../src/client/client.js'
import {
  addRow,
  changeRow,
  changesIn,
  draftOf,
  duplicateRow,
  editAgain,
  editsIn,
  isChanged,
  joinContinued,
  moveRow,
  priorityAfter,
  removeRow,
  rowsOfKind,
  shownOf,
  takeBack,
  type Commented,
  type Draft,
} from '../../src/console/pages/propose/draft.js'
import { draftHash, draftInHash, draftText, parseDraft } from '../../src/console/pages/propose/kept-draft.js'
import { notesOf } from '../../src/console/pages/propose/row-notes.js'
import { rowText } from '../../src/console/parts/policy/row.js'
import type { ObjectRow, PolicyRow } from '../../src/domain/policy-row.js'

const row = (priority: number, more: Partial<ObjectRow> = {}): ObjectRow => ({
  ptype: 'p',
  priority,
  rule: 'R',
  role: 'editor',
  action: 'link:delete',
  reach: 'any',
  effect: 'deny',
  ...more,
})
const commented = (given: PolicyRow, comment = ''): Commented => ({ row: given, comment })
const IN_FORCE = [
  commented(row(100), 'the first'),
  commented(row(110)),
  commented(row(111)),
  commented(row(200)),
  commented({ ptype: 'p2', role: 'editor', action: 'link:delete' }),
  commented({ ptype: 'g', role: 'editor', inherits: 'user' }),
]
const start = () => draftOf(7, IN_FORCE)
const idOf = (priority: number) => rowText(row(priority))
const order = (draft: Draft) => rowsOfKind(draft, 'p').map((each) => shownOf(each).row)
const priorities = (draft: Draft) => order(draft).map((each) => (each.ptype === 'p' ? each.priority : 0))

/** What the service makes of an edit. */
const applied = (draft: Draft): readonly string[] => {
  const { add, remove } = changesIn(draft)
  const rows = new Map(IN_FORCE.map((each) => [rowText(each.row), each.comment]))
  for (const each of remove)
    expect(rows.delete(rowText(each.row)), 'only rows that are there are removed').to.equal(true)
  for (const { row: added } of add) {
    const { comment, ...bare } = { comment: undefined, ...added }
    const before = rows.get(rowText(bare)) ?? ''
    rows.set(rowText(bare), comment === undefined ? before : (comment ?? ''))
  }
  return [...rows].map(([text, comment]) => `${text} # ${comment}`).sort()
}
const meant = (draft: Draft): readonly string[] =>
  draft.rows.flatMap(({ now }) => (now === null ? [] : `${rowText(now.row)} # ${now.comment}`)).sort()

type Step = (draft: Draft) => Draft
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.nat(9), fc.constantFrom(-1 as const, 1 as const)).map(
    ([nth, by]): Step =>
      (draft) =>
        moveRow(draft, draft.rows[nth]?.id ?? '', by),
  ),
  fc.nat(9).map(
    (nth): Step =>
      (draft) =>
        removeRow(draft, draft.rows[nth]?.id ?? ''),
  ),
  fc.nat(9).map(
    (nth): Step =>
      (draft) =>
        takeBack(draft, draft.rows[nth]?.id ?? ''),
  ),
  fc.nat(9).map((nth): Step => (draft) => {
    const found = draft.rows[nth]
    // a second row like it cannot be in force: only object rows differ by their priority
    return found === undefined || shownOf(found).row.ptype !== 'p'
      ? draft
      : (duplicateRow(draft, found.id)?.[0] ?? draft)
  }),
  fc.tuple(fc.nat(9), fc.string({ maxLength: 20 })).map(([nth, comment]): Step => (draft) => {
    const found = draft.rows[nth]
    return found?.now ? changeRow(draft, found.id, { ...found.now, comment }) : draft
  }),
  fc.integer({ min: 300, max: 400 }).map(
    (priority): Step =>
      (draft) =>
        rowsOfKind(draft, 'p').some(({ now, was }) =>
          [now, was].some((each) => each?.row.ptype === 'p' && each.row.priority === priority),
        )
          ? draft
          : addRow(draft, commented(row(priority), 'new'))[0],
  ),
)

/** Two rows of one priority, or two of the same text, are for the service to refuse. */
const isSound = (draft: Draft): boolean => {
  const texts = draft.rows.flatMap(({ now }) => (now === null ? [] : rowText(now.row)))
  return new Set(texts).size === texts.length
}

describe('a draft of an edit', () => {
  it('a comment is shown without the line breaks that only its file needs', () => {
    expect(joinContinued('R5  A link is changed\n    by its owner.\nAsk Mara first.')).to.equal(
      'R5  A link is changed by its owner.\nAsk Mara first.',
    )
  })

  it('sends an edit that makes of the rows in force what it shows, whatever was done to it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const draft = steps.reduce((each, apply) => apply(each), start())
        fc.pre(isSound(draft))
        expect(applied(draft)).to.deep.equal(meant(draft))
      }),
      { numRuns: 500 },
    )
  })

  it('is the same after a reload, through a text and an address', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.string(), (steps, reason) => {
        const draft = { ...steps.reduce((each, apply) => apply(each), start()), reason }
        fc.pre(isSound(draft))
        for (const kept of [parseDraft(draftText(draft)), draftInHash(draftHash(draft))]) {
          expect(kept).to.not.equal(null)
          const { draft: again, lost } = editAgain(7, IN_FORCE, kept?.edits ?? [], kept?.reason ?? '')
          expect(lost).to.deep.equal([])
          expect(meant(again)).to.deep.equal(meant(draft))
          expect(applied(again)).to.deep.equal(applied(draft))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('moves a row between the next two, or changes places where there is no room', () => {
    expect(priorities(moveRow(start(), idOf(111), -1))).to.deep.equal([100, 105, 110, 200])
    expect(priorities(moveRow(start(), idOf(110), 1))).to.deep.equal([100, 111, 155, 200])
    expect(priorities(moveRow(start(), idOf(111), 1))).to.deep.equal([100, 110, 200, 210])
    const tight = draftOf(1, [commented(row(1, { rule: 'A' })), commented(row(2, { rule: 'B' }))])
    const moved = moveRow(tight, rowText(row(2, { rule: 'B' })), -1)
    expect(rowsOfKind(moved, 'p').map((each) => shownOf(each).row)).to.deep.equal([
      row(1, { rule: 'B' }),
      row(2, { rule: 'A' }),
    ])
    expect(moveRow(start(), idOf(100), -1)).to.deep.equal(start())
    expect(moveRow(start(), idOf(200), 1)).to.deep.equal(start())
  })

  it('finds room for a row behind another, or none', () => {
    expect(priorityAfter(start(), 110)).to.equal(null)
    expect(priorityAfter(start(), 111)).to.equal(155)
    expect(priorityAfter(start(), 200)).to.equal(210)
    expect(priorityAfter(start(), 999_999_999)).to.equal(null)
    expect(duplicateRow(start(), idOf(110))).to.equal(null)
  })

  it('is made again on other rows, and says what is lost', () => {
    let draft = removeRow(start(), idOf(110))
    draft = changeRow(draft, idOf(200), commented(row(200, { effect: 'allow' }), 'why'))
    draft = addRow(draft, commented(row(300)))[0]
    draft = addRow(draft, commented(row(310)))[0]
    const theirs = [...IN_FORCE.filter(({ row: each }) => rowText(each) !== idOf(200)), commented(row(310), 'theirs')]
    const { draft: again, lost } = editAgain(8, theirs, editsIn(draft), 'because')
    expect(again.revision).to.equal(8)
    expect(again.reason).to.equal('because')
    expect(lost.map(({ was }) => was)).to.deep.equal([row(200)])
    expect(again.rows.filter(isChanged).map(({ was, now }) => [was?.row ?? null, now?.row ?? null])).to.deep.equal([
      [row(110), null],
      [null, row(300)],
    ])
  })

  it('takes no text for a draft that is none', () => {
    const row1 = JSON.stringify(row(1))
    for (const text of [
      '',
      'null',
      '[]',
      '{}',
      '{"linkgate_draft":2,"revision":1,"reason":"","edits":[]}',
      '{"linkgate_draft":1,"revision":"1","reason":"","edits":[]}',
      '{"linkgate_draft":1,"revision":1,"reason":1,"edits":[]}',
      '{"linkgate_draft":1,"revision":1,"reason":"","edits":[null]}',
      '{"linkgate_draft":1,"revision":1,"reason":"","edits":[{"was":null,"now":{"row":{"ptype":"p"},"comment":""}}]}',
      `{"linkgate_draft":1,"revision":1,"reason":"","edits":[{"was":null,"now":{"row":${row1},"comment":7}}]}`,
    ])
      expect(parseDraft(text), text).to.equal(null)
    for (const hash of ['', '#draft=', '#draft=%%', '#draft=AAAA', '#other'])
      expect(draftInHash(hash), hash).to.equal(null)
  })

  it('has the faults that the service names beside their rows, and others by themselves', () => {
    const removed = removeRow(start(), idOf(100))
    const [draft, added] = addRow(removed, commented(row(111, { role: 'viewer' })))
    const errors = [
      { field: 'add.0.priority', message: '111 is the priority of another row' },
      { field: 'remove.0', message: 'is not a row of the policy' },
      { field: 'reason', message: 'is required' },
    ]
    const problem = new LinkgateProblem({ status: 422, code: 'validation_failed', title: 'x', errors }, {})
    const { ofRow, others, faults } = notesOf(draft, changesIn(draft), null, problem)
    const [first, second, third] = errors.map(({ message }) => message)
    expect(ofRow.get(added)).to.deep.equal([{ is: 'fault', field: 'priority', message: first }])
    expect(ofRow.get(idOf(100))).to.deep.equal([{ is: 'fault', field: '', message: second }])
    expect(others).to.deep.equal([{ is: 'fault', field: '', message: third }])
    expect(faults).to.equal(3)
  })
})
