import { rowText, type TypedRow } from '../../parts/policy/row.js'

/** A row with its comment; empty: none. */
export interface Commented {
  readonly row: TypedRow
  readonly comment: string
}

/** A comment as it is shown: files break long lines, and indent what continues a line. */
export const joinContinued = (comment: string): string => comment.replaceAll(/\n[ \t]+/g, ' ')

export interface DraftRow {
  /** stable while the row is edited */
  readonly id: string
  /** the row in force; null: it is new */
  readonly was: Commented | null
  /** the row after the edit; null: it is removed */
  readonly now: Commented | null
}

export interface Draft {
  readonly revision: number
  /** rows in force come first, in their order */
  readonly rows: readonly DraftRow[]
  readonly reason: string
}

/** A row that is changed, added (`was` is null) or removed (`now` is null). */
export interface RowEdit {
  readonly was: TypedRow | null
  readonly now: Commented | null
}

export const MOST_PRIORITY = 999_999_999

export const draftOf = (revision: number, inForce: readonly Commented[]): Draft => ({
  revision,
  rows: inForce.map((each) => ({ id: rowText(each.row), was: each, now: each })),
  reason: '',
})

const isSame = (a: Commented | null, b: Commented | null): boolean =>
  a === b || (a !== null && b !== null && rowText(a.row) === rowText(b.row) && a.comment === b.comment)

export const isChanged = ({ was, now }: DraftRow): boolean => !isSame(was, now)

/** The row after the edit, or before it if it is removed. */
export const shownOf = ({ now, was }: DraftRow): Commented => {
  const shown = now ?? was
  if (shown === null) throw new Error('a row of a draft is neither there nor was')
  return shown
}

export const priorityOf = (each: DraftRow): number => {
  const { row } = shownOf(each)
  return row.ptype === 'p' ? row.priority : 0
}

/** A row that keeps its position while its priority is typed. */
export interface Held {
  readonly id: string
  readonly priority: number
}

/** The rows of one kind, in order of evaluation. */
export const rowsOfKind = ({ rows }: Draft, kind: TypedRow['ptype'], held: Held | null = null): readonly DraftRow[] => {
  const place = (each: DraftRow) => (each.id === held?.id ? held.priority : priorityOf(each))
  return rows.filter((each) => shownOf(each).row.ptype === kind).toSorted((a, b) => place(a) - place(b))
}

const replace = (draft: Draft, id: string, now: Commented | null): Draft => ({
  ...draft,
  rows: draft.rows.flatMap((each) => {
    if (each.id !== id) return [each]
    // removing a new row leaves nothing
    return each.was === null && now === null ? [] : [{ ...each, now }]
  }),
})

export const changeRow = (draft: Draft, id: string, now: Commented): Draft => replace(draft, id, now)
export const removeRow = (draft: Draft, id: string): Draft => replace(draft, id, null)

/** Reverts a row to the one in force; removes a new one. */
export const takeBack = (draft: Draft, id: string): Draft => {
  const found = draft.rows.find((each) => each.id === id)
  return found === undefined ? draft : replace(draft, id, found.was)
}

const newId = ({ rows }: Draft): string => {
  const numbers = rows.map(({ id }) => Number(/^new (\d+)$/.exec(id)?.[1] ?? 0))
  return `new ${Math.max(0, ...numbers) + 1}`
}

/** Adds a row. Returns the draft and the row's id. */
export const addRow = (draft: Draft, now: Commented): readonly [Draft, string] => {
  const id = newId(draft)
  return [{ ...draft, rows: [...draft.rows, { id, was: null, now }] }, id]
}

/** Priorities that rows of the draft have or had: one freed by a removed row is available only after the edit. */
const takenIn = ({ rows }: Draft): readonly number[] =>
  rows.flatMap(({ now }) => (now?.row.ptype === 'p' ? now.row.priority : [])).sort((a, b) => a - b)

/** The middle between this priority and the next taken one; null: no room. */
export const priorityAfter = (draft: Draft, priority: number): number | null => {
  const next = takenIn(draft).find((each) => each > priority) ?? Math.min(priority + 20, MOST_PRIORITY + 1)
  const middle = Math.floor((priority + next) / 2)
  return middle > priority && middle < next ? middle : null
}

/** Adds a copy after the row; an object row needs a free priority. */
export const duplicateRow = (draft: Draft, id: string): readonly [Draft, string] | null => {
  const found = draft.rows.find((each) => each.id === id)
  if (found === undefined) return null
  const { row, comment } = shownOf(found)
  if (row.ptype !== 'p') return addRow(draft, { row, comment })
  const priority = priorityAfter(draft, row.priority)
  return priority === null ? null : addRow(draft, { row: { ...row, priority }, comment })
}

/** Moves an object row past its neighbour: between that one and the next, or into its place if there is no room. */
export const moveRow = (draft: Draft, id: string, by: -1 | 1): Draft => {
  const order = rowsOfKind(draft, 'p').filter(({ now }) => now !== null)
  const place = order.findIndex((each) => each.id === id)
  const [moved, passed] = [order[place]?.now, order[place + by]?.now]
  const target = order[place + by]
  if (moved?.row.ptype !== 'p' || passed?.row.ptype !== 'p' || target === undefined) return draft
  const far = order[place + 2 * by]?.now?.row
  const limit =
    far?.ptype === 'p' ? far.priority : by === -1 ? 0 : Math.min(passed.row.priority + 20, MOST_PRIORITY + 1)
  const middle = Math.floor((passed.row.priority + limit) / 2)
  const isFree = middle !== passed.row.priority && middle !== limit && middle > 0
  const at = (each: Commented, priority: number): Commented =>
    each.row.ptype === 'p' ? { ...each, row: { ...each.row, priority } } : each
  if (isFree) return changeRow(draft, id, at(moved, middle))
  const swapped = changeRow(draft, id, at(moved, passed.row.priority))
  return changeRow(swapped, target.id, at(passed, moved.row.priority))
}

/** The edit, for storing and sending. */
export const editsIn = ({ rows }: Draft): readonly RowEdit[] =>
  rows.filter(isChanged).map(({ was, now }) => ({ was: was?.row ?? null, now }))

/** The edit in the form of the service, each row with the id of its draft row. */
export const changesIn = ({ rows }: Draft) => {
  const changed = rows.filter(isChanged)
  const before = new Map(changed.flatMap(({ was }) => (was === null ? [] : [[rowText(was.row), was] as const])))
  const after = new Set(changed.flatMap(({ now }) => (now === null ? [] : rowText(now.row))))
  return {
    // adding an existing row changes only its comment
    add: changed.flatMap(({ id, now }) =>
      now === null ? [] : [{ id, row: sentRow(now, before.get(rowText(now.row)) ?? null) }],
    ),
    remove: changed.flatMap(({ id, was }) =>
      was === null || after.has(rowText(was.row)) ? [] : [{ id, row: was.row }],
    ),
  }
}

const sentRow = ({ row, comment }: Commented, was: Commented | null) =>
  comment === '' && (was === null || was.comment === '') ? row : { ...row, comment: comment === '' ? null : comment }

const hasRow = ({ rows }: Draft, text: string): boolean =>
  rows.some(({ now }) => now !== null && rowText(now.row) === text)

/**
 * Applies edits again to the rows now in force. Returns the draft, and the edits of rows that somebody else has changed
 * or removed.
 */
export const editAgain = (
  revision: number,
  inForce: readonly Commented[],
  edits: readonly RowEdit[],
  reason: string,
): { readonly draft: Draft; readonly lost: readonly RowEdit[] } => {
  let draft: Draft = { ...draftOf(revision, inForce), reason }
  const lost: RowEdit[] = []
  for (const edit of edits) {
    const { was, now } = edit
    const target = was && draft.rows.find(({ id }) => id === rowText(was))
    if (target) draft = replace(draft, target.id, now)
    else if (was !== null) lost.push(edit)
    // somebody else has added the same row meanwhile
    else if (now !== null && !hasRow(draft, rowText(now.row))) [draft] = addRow(draft, now)
  }
  return { draft, lost }
}
