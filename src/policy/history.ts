import type { Database } from '../database/database.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import { planEdit } from './edit.js'
import type { EditPlan } from './edit.js'
import { parseRow, rowKey, rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import type { Snapshot } from './snapshot.js'
import { parseStored, parseStoredRow } from './store.js'
import type { PolicyRules, StoredRevision, StoredRow } from './store.js'

/** A row of the history; one that was written by hand may be no row of the vocabulary, and is shown as it was. */
export type HistoryRow = PolicyRow | { readonly ptype: string; readonly unreadable: unknown }

/** One entry of the history, as an auditor reads it. */
export interface Revision {
  readonly revision: number
  readonly actor: { readonly id: string | null; readonly name: string }
  readonly reason: string
  readonly time: string
  readonly added: readonly HistoryRow[]
  readonly removed: readonly HistoryRow[]
  readonly model_sha256: string
}

interface RevisionRow {
  readonly revision: string
  readonly actor_id: string | null
  readonly actor: string
  readonly reason: string
  readonly time: Date
  readonly added: unknown
  readonly removed: unknown
  readonly model_sha256: string
  readonly decisions_changed?: unknown
}

const COLUMNS = 'revision, actor_id, actor, reason, time, added, removed, model_sha256'

/** Rows as a revision holds them: objects, or lists of texts where somebody edited by hand. */
const parseRows = (stored: unknown): readonly HistoryRow[] => {
  if (!Array.isArray(stored)) throw new PolicyError('a revision holds no list of rows')
  return stored.map((each: unknown) => {
    const row = Array.isArray(each) ? parseStoredRow({ ptype: String(each[0]), rule: each.slice(1) }) : parseRow(each)
    return row.ok
      ? row.value
      : { ptype: Array.isArray(each) ? String(each[0]) : '', unreadable: Array.isArray(each) ? each.slice(1) : each }
  })
}

const toRevision = ({
  revision,
  actor_id,
  actor,
  time,
  added,
  removed,
  reason,
  model_sha256,
}: RevisionRow): Revision => ({
  revision: Number(revision),
  actor: { id: actor_id, name: actor },
  reason,
  time: time.toISOString(),
  added: parseRows(added),
  removed: parseRows(removed),
  model_sha256,
})

/** Revisions, newest first; `cursor` is the revision that the page before ended with. */
export const listRevisions = async (
  database: Database,
  { limit, cursor }: { readonly limit: number; readonly cursor?: number | undefined },
) => {
  const rows = await database.run<RevisionRow>({
    text: `select ${COLUMNS} from policy_revisions where revision < $1 order by revision desc limit $2`,
    values: [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  })
  const data = rows.slice(0, limit).map(toRevision)
  return { data, next_cursor: rows.length > limit ? String(data.at(-1)?.revision) : null }
}

/** One revision with every decision that it changed; null where there is none. */
export const findRevision = async (database: Database, revision: number) => {
  const [row] = await database.run<RevisionRow>({
    text: `select ${COLUMNS}, decisions_changed from policy_revisions where revision = $1`,
    values: [revision],
  })
  return row ? { ...toRevision(row), decisions_changed: row.decisions_changed } : null
}

/** A row of the history as it was stored, and the text by which equal rows are known. */
const asStored = (row: HistoryRow): StoredRow =>
  'unreadable' in row ? { ptype: row.ptype, rule: row.unreadable } : { ptype: row.ptype, rule: rowTexts(row) }
const storedKey = ({ ptype, rule }: StoredRow): string => JSON.stringify([ptype, rule])

/** The rows of a snapshot as the table holds them. */
export const storedRowsOf = (rows: readonly PolicyRow[]): readonly StoredRow[] => rows.map(asStored)

/**
 * The rows as they were at a revision: the given ones, with every later revision taken back. Null where there was none.
 */
export const rowsAt = async (
  database: Database,
  { revision: newest, stored }: StoredRevision,
  revision: number,
): Promise<StoredRevision | null> => {
  if (revision < 1 || revision > newest) return null
  const later = await database.run<RevisionRow>({
    text: `select ${COLUMNS} from policy_revisions where revision > $1 and revision <= $2 order by revision desc`,
    values: [revision, newest],
  })
  const rows = new Map(stored.map((row) => [storedKey(row), row]))
  for (const { added, removed } of later.map(toRevision)) {
    for (const row of added.map(asStored)) rows.delete(storedKey(row))
    for (const row of removed.map(asStored)) rows.set(storedKey(row), row)
  }
  return { revision, stored: [...rows.values()] }
}

/** The edit that turns one set of rows into another. */
export const editBetween = (from: readonly PolicyRow[], to: readonly PolicyRow[]) => {
  const keysOf = (rows: readonly PolicyRow[]) => new Set(rows.map(rowKey))
  const [before, after] = [keysOf(from), keysOf(to)]
  return { add: to.filter((row) => !before.has(rowKey(row))), remove: from.filter((row) => !after.has(rowKey(row))) }
}

/**
 * Plans the return to an earlier revision: a new edit, with the same checks as any other. Null where there was no such
 * revision; `validation_failed` where its rows do not parse (somebody had written them by hand).
 */
export const planRestore = async (
  database: Database,
  base: Snapshot,
  revision: number,
  rules: PolicyRules,
): Promise<EditPlan | null> => {
  const at = await rowsAt(database, { revision: base.revision, stored: storedRowsOf(base.rows) }, revision)
  return at && planEdit(base, editBetween(base.rows, await requireReadable(at)), rules)
}

/** Parses the rows of an earlier revision. Throws `validation_failed` where one does not parse. */
export const requireReadable = async ({ revision, stored }: StoredRevision): Promise<readonly PolicyRow[]> => {
  try {
    return await parseStored(stored)
  } catch (error) {
    if (error instanceof PolicyError)
      throw new Refusal('validation_failed', {
        errors: [{ field: 'revision', message: `${revision} cannot be restored: ${error.message}` }],
      })
    throw error
  }
}
