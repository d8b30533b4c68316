import type { Database } from '../database/database.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { planEdit } from './edit.js'
import type { EditPlan } from './edit.js'
import { parseRow, parseRowTexts, rowKey } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import type { Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** One entry of the history, as an auditor reads it. */
export interface Revision {
  readonly revision: number
  readonly actor: { readonly id: string | null; readonly name: string }
  readonly reason: string
  readonly time: string
  readonly added: readonly PolicyRow[]
  readonly removed: readonly PolicyRow[]
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

/** Rows as a revision holds them: objects, or the texts that were noted of an edit by hand. */
const parseRows = (stored: unknown): readonly PolicyRow[] => {
  if (!Array.isArray(stored)) throw new PolicyError('a revision holds no list of rows')
  return stored.map((each: unknown) => {
    const texts = Array.isArray(each) ? each.map(String) : undefined
    const row = texts === undefined ? parseRow(each) : parseRowTexts(texts[0] ?? '', texts.slice(1))
    if (!row.ok) throw new PolicyError(`a revision holds a row that does not parse (${describeFaults(row.faults)})`)
    return row.value
  })
}

const toRevision = ({ revision, actor_id, actor, time, added, removed, reason, model_sha256 }: RevisionRow): Revision => ({
  revision: Number(revision),
  actor: { id: actor_id, name: actor },
  reason,
  time: time.toISOString(),
  added: parseRows(added),
  removed: parseRows(removed),
  model_sha256,
})

/** Revisions, newest first; `cursor` is the revision that the page before ended with. */
export const listRevisions = async (database: Database, { limit, cursor }: { readonly limit: number; readonly cursor?: number | undefined }) => {
  const rows = await database.run<RevisionRow>({
    text: `select ${COLUMNS} from policy_revisions where revision < $1 order by revision desc limit $2`,
    values: [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  })
  const data = rows.slice(0, limit).map(toRevision)
  return { data, next_cursor: rows.length > limit ? String(data.at(-1)?.revision) : null }
}

/** One revision with every decision that it changed; null where there is none. */
export const findRevision = async (database: Database, revision: number) => {
  const [row] = await database.run<RevisionRow>({ text: `select ${COLUMNS}, decisions_changed from policy_revisions where revision = $1`, values: [revision] })
  return row ? { ...toRevision(row), decisions_changed: row.decisions_changed } : null
}

/** The rows as they were at a revision: those in force, with every later revision taken back. Null where there was none. */
export const rowsAt = async (database: Database, snapshot: Snapshot, revision: number): Promise<readonly PolicyRow[] | null> => {
  if (revision < 1 || revision > snapshot.revision) return null
  const later = await database.run<RevisionRow>({
    text: `select ${COLUMNS} from policy_revisions where revision > $1 and revision <= $2 order by revision desc`,
    values: [revision, snapshot.revision],
  })
  const rows = new Map(snapshot.rows.map((row) => [rowKey(row), row]))
  for (const { added, removed } of later.map(toRevision)) {
    for (const row of added) rows.delete(rowKey(row))
    for (const row of removed) rows.set(rowKey(row), row)
  }
  return [...rows.values()]
}

/** The edit that turns one set of rows into another. */
export const editBetween = (from: readonly PolicyRow[], to: readonly PolicyRow[]) => {
  const keysOf = (rows: readonly PolicyRow[]) => new Set(rows.map(rowKey))
  const [before, after] = [keysOf(from), keysOf(to)]
  return { add: to.filter((row) => !before.has(rowKey(row))), remove: from.filter((row) => !after.has(rowKey(row))) }
}

/** Plans the return to an earlier revision: a new edit, with the same checks as any other. Null where there was no such revision. */
export const planRestore = async (database: Database, base: Snapshot, revision: number, rules: PolicyRules): Promise<EditPlan | null> => {
  const rows = await rowsAt(database, base, revision)
  return rows && planEdit(base, editBetween(base.rows, rows), rules)
}
