import type { Database } from '../database/database.js'
import { MOST_COUNTED } from '../domain/counted.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import type { CommentedRows } from './comments.js'
import { parseRow, rowText, rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import type { Snapshot } from './snapshot.js'
import { inStoredOrder, parseStored, parseStoredRow, type StoredRevision, type StoredRow } from './store.js'

/** A row of the history. One written by hand may not parse, and is shown as stored. */
export type HistoryRow = PolicyRow | { readonly ptype: string; readonly unreadable: unknown }

/** What an edit changes, as stored. */
interface StoredChanges {
  readonly added: readonly unknown[]
  readonly removed: readonly unknown[]
  readonly comments: readonly { readonly row: unknown; readonly before: string | null; readonly after: string | null }[]
}

/** An edit, made or proposed, as stored. */
export interface StoredEdit extends StoredChanges {
  readonly actor_id: string | null
  /** null for a user, who is recorded by id */
  readonly actor: string | null
  readonly email: string | null
  readonly reason: string
  readonly time: Date
}

interface RevisionRow extends StoredEdit {
  readonly revision: string
  readonly approved_by: string | null
  readonly approver: string | null
  readonly approver_email: string | null
  readonly proposal: string | null
  readonly without_approval: boolean
  readonly model_sha256: string
  readonly decisions_changed?: unknown
}

/** Selects the current address of a user; null if they were deleted. */
export const emailOf = (user: string): string => `(select u.email from find_user(${user}, null, null) u)`

const COLUMNS =
  'revision, actor_id, actor, reason, time, added, removed, comments, model_sha256, approved_by, approver, proposal, ' +
  `without_approval, ${emailOf('actor_id')} as email, ${emailOf('approved_by')} as approver_email`

/** Rows are stored as objects, or as lists of texts where the database recorded an edit by hand. */
const parseHistoryRow = (stored: unknown): HistoryRow => {
  if (!Array.isArray(stored)) {
    const row = parseRow(stored)
    return row.ok ? row.value : { ptype: '', unreadable: stored }
  }
  const [first, ...rule]: readonly unknown[] = stored
  const ptype = String(first)
  const row = parseStoredRow({ ptype, rule })
  return row.ok ? row.value : { ptype, unreadable: rule }
}

export const parseChanges = ({ added, removed, comments }: StoredChanges) => ({
  added: added.map(parseHistoryRow),
  removed: removed.map(parseHistoryRow),
  comments: comments.map((each) => ({ ...each, row: parseHistoryRow(each.row) })),
})

const toRevision = ({ actor_id, actor, email, ...row }: RevisionRow) => ({
  revision: Number(row.revision),
  actor: { id: actor_id, name: email ?? actor },
  reason: row.reason,
  time: row.time.toISOString(),
  ...parseChanges(row),
  model_sha256: row.model_sha256,
  proposal: row.proposal,
  approved_by: row.proposal === null ? null : { id: row.approved_by, name: row.approver_email ?? row.approver },
  without_approval: row.without_approval,
})

/** A revision as it is shown. */
export type Revision = ReturnType<typeof toRevision>

/** Times are shown in milliseconds and stored in microseconds: a revision was made by the time that it shows. */
const madeBy = (until: string): string =>
  `(${until}::timestamptz is null or date_trunc('milliseconds', time) <= ${until})`

/**
 * Revisions, newest first. `cursor` is the last revision of the previous page; `until` keeps only those made by then.
 */
export const listRevisions = async (
  database: Database,
  {
    limit,
    cursor,
    until,
  }: { readonly limit: number; readonly cursor?: number | undefined; readonly until?: string | undefined },
) => {
  const rows = await database.run<RevisionRow>({
    text: `
      select ${COLUMNS} from policy_revisions
       where revision < $1 and ${madeBy('$3')} order by revision desc limit $2`,
    values: [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1, until ?? null],
  })
  const data = rows.slice(0, limit).map(toRevision)
  return { data, next_cursor: rows.length > limit ? String(data.at(-1)?.revision) : null }
}

/** How many revisions there are, or were by `until`, up to MOST_COUNTED. */
export const countRevisions = (database: Database, until: string | undefined): Promise<number> =>
  countRows(database, `policy_revisions where ${madeBy('$1')}`, [until ?? null])

/** Counts rows (`from`: what follows "from", with its condition), up to MOST_COUNTED. */
export const countRows = async (database: Database, from: string, values: readonly unknown[]): Promise<number> => {
  const text = `select count(*)::int as count from (select from ${from} limit ${MOST_COUNTED}) counted`
  const [row] = await database.run<{ count: number }>({ text, values })
  return row?.count ?? 0
}

/**
 * One revision with every decision that it changed; null if there is no such revision. The decisions are null if the
 * rows were changed in the database, which cannot tell.
 */
export const findRevision = async (database: Database, revision: number) => {
  const [row] = await database.run<RevisionRow>({
    text: `select ${COLUMNS}, decisions_changed from policy_revisions where revision = $1`,
    values: [revision],
  })
  return row ? { ...toRevision(row), decisions_changed: row.decisions_changed } : null
}

const asStored = (row: HistoryRow, comment: string | null = null): StoredRow => ({
  ptype: row.ptype,
  rule: 'unreadable' in row ? row.unreadable : rowTexts(row),
  comment,
})
const keyOf = ({ ptype, rule }: StoredRow): string => JSON.stringify([ptype, rule])

/** The rows of a snapshot as the table holds them. */
export const storedRevisionOf = ({ revision, rows, comments }: Snapshot): StoredRevision => ({
  revision,
  stored: rows.map((row) => asStored(row, comments.get(rowText(row))?.comment)),
})

/** Reconstructs an earlier revision by undoing every later one. Null if there was no such revision. */
export const revisionBefore = async (
  database: Database,
  { revision: newest, stored }: StoredRevision,
  revision: number,
): Promise<StoredRevision | null> => {
  if (revision < 1 || revision > newest) return null
  const later = await database.run<StoredChanges>({
    text: `
      select added, removed, comments from policy_revisions
       where revision > $1 and revision <= $2 order by revision desc`,
    values: [revision, newest],
  })
  const rows = new Map(stored.map((row) => [keyOf(row), row]))
  for (const { added, removed, comments } of later.map(parseChanges)) {
    for (const row of added) rows.delete(keyOf(asStored(row)))
    for (const row of removed) rows.set(keyOf(asStored(row)), asStored(row))
    for (const { row, before } of comments) {
      const key = keyOf(asStored(row))
      if (rows.has(key)) rows.set(key, asStored(row, before))
    }
  }
  return { revision, stored: [...rows.values()] }
}

/**
 * The rows of an earlier revision; null if there was no such revision. Throws `validation_failed` if they do not parse
 * (somebody wrote them by hand).
 */
export const rowsOfRevision = async (
  database: Database,
  newest: StoredRevision,
  revision: number,
): Promise<CommentedRows | null> => {
  const found = await revisionBefore(database, newest, revision)
  try {
    const parsed = found && (await parseStored(found.stored))
    return parsed && { ...parsed, rows: inStoredOrder(parsed.rows) }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const message = `${revision} cannot be read: ${error.message}`
    throw new Refusal('validation_failed', { errors: [{ field: 'revision', message }] })
  }
}
