import type { Database } from '../database/database.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { commentedRows, type CommentedRows } from './comments.js'
import type { Expectation } from './expectations.js'
import { describeViolation, findViolations, type Invariant } from './invariants.js'
import type { PolicyModel } from './model.js'
import { fault, parseRowTexts, rowText, type EditedRow, type Parsed } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { buildSnapshot, type Snapshot } from './snapshot.js'

/** The policy files of an installation. */
export interface PolicyRules {
  readonly model: PolicyModel
  /** Rereads the file on every call, so a change binds the next edit and load. Throws PolicyError for a faulty line. */
  readonly invariants: () => readonly Invariant[]
  /** Rereads the files on every call. An unmet expectation is only a warning. Throws like `invariants`. */
  readonly expectations: () => readonly Expectation[]
}

/** An unchecked row of the table `casbin`, with its comment. */
export interface StoredRow {
  readonly ptype: string
  readonly rule: unknown
  readonly comment: string | null
}

/** All rows of one revision, unchecked. */
export interface StoredRevision {
  readonly revision: number
  readonly stored: readonly StoredRow[]
}

/** Parses a stored row, which somebody may have written by hand. Returns faults instead of throwing them. */
export const parseStoredRow = ({ ptype, rule }: Omit<StoredRow, 'comment'>): Parsed<PolicyRow> =>
  Array.isArray(rule) && rule.every((text): text is string => typeof text === 'string')
    ? parseRowTexts(ptype, rule)
    : fault('must be a list of texts')

/** Throws PolicyError for the first row that does not parse: a policy is loaded as a whole, or not at all. */
export const parseStored = async (stored: readonly StoredRow[]): Promise<CommentedRows> => {
  const pause = pauseEvery(1_000)
  const rows: EditedRow[] = []
  for (const each of stored) {
    await pause()
    const row = parseStoredRow(each)
    if (!row.ok) {
      const text = `${each.ptype}, ${JSON.stringify(each.rule).slice(0, 200)}`
      throw new PolicyError(`a stored row does not parse: ${text} (${describeFaults(row.faults)})`)
    }
    rows.push({ row: row.value, comment: each.comment })
  }
  return commentedRows(rows)
}

/**
 * One statement, so that the revision and its rows belong together. Returns no row if the revision is the known one.
 */
const NEWER = `
  select h.revision, c.ptype, c.rule, n.comment from policy_head h left join casbin c on true
    left join policy_comments n on n.ptype = c.ptype and n.rule = c.rule
   where h.revision is distinct from $1::bigint
   order by c.ptype, case when c.ptype = 'p' then (c.rule ->> 0)::bigint end, c.id`

/** Sorts rows as NEWER does. The sort is stable. */
export const inStoredOrder = (rows: readonly PolicyRow[]): readonly PolicyRow[] =>
  rows.toSorted((a, b) => {
    if (a.ptype !== b.ptype) return a.ptype < b.ptype ? -1 : 1
    return a.ptype === 'p' && b.ptype === 'p' ? a.priority - b.priority : 0
  })

/**
 * The stored rows of the newest revision; null if that is `known`. Reads the table without the adapter: its loadPolicy
 * has no order, blocks the event loop and parses each value as CSV (docs/decisions/0002).
 */
export const readNewer = async (database: Database, known: number | null): Promise<StoredRevision | null> => {
  type Row = Omit<StoredRow, 'ptype'> & { readonly revision: string; readonly ptype: string | null }
  const rows = await database.run<Row>({ name: 'policy_rows', text: NEWER, values: [known] })
  const stored = rows.flatMap(({ ptype, rule, comment }) => (ptype === null ? [] : [{ ptype, rule, comment }]))
  return rows[0] ? { revision: Number(rows[0].revision), stored } : null
}

export const readStored = async (database: Database): Promise<StoredRevision> =>
  (await readNewer(database, null)) ?? { revision: 0, stored: [] }

/** A sum of hashes, so that a check for changes transfers no rows and needs no sort. */
const DIGEST = `
  select h.revision, count(c.id) || ' ' || coalesce(sum(hashtextextended(c.ptype || c.rule::text, 0)), 0) as digest
    from policy_head h left join casbin c on true group by h.revision`

/**
 * Makes a check for stored rows that differ from those of a snapshot of the same revision. They can differ only if
 * somebody changed them with the triggers off, or restored all or part of the database.
 */
export const rowsDiffer = (database: Database): ((inForce: Snapshot) => Promise<boolean>) => {
  let same: { readonly inForce: Snapshot; readonly digest: string } | null = null
  return async (inForce) => {
    const [now] = await database.run<{ revision: string; digest: string }>({ name: 'policy_digest', text: DIGEST })
    // the next load will find a newer revision
    if (now === undefined || Number(now.revision) > inForce.revision) return false
    if (Number(now.revision) < inForce.revision) return true
    if (same?.inForce === inForce && same.digest === now.digest) return false
    const { revision, stored } = await readStored(database)
    if (revision !== inForce.revision) return false
    const rows = new Set(inForce.rows.map(rowText))
    const pause = pauseEvery(1_000)
    for (const each of stored) {
      await pause()
      const row = parseStoredRow(each)
      if (!row.ok || !rows.has(rowText(row.value))) return true
    }
    if (stored.length !== rows.size) return true
    same = { inForce, digest: now.digest }
    return false
  }
}

/** Has the database record a revision for rows that no revision accounts for. */
export const recordUnexplainedRows = async (database: Database): Promise<void> => {
  await database.run({ text: 'select record_unexplained_policy_rows()' })
}

/** All role names in the stored rows, whether or not these can be in force. */
export const storedRoles = async (database: Database): Promise<readonly string[]> => {
  const text = `
    select distinct role from casbin, lateral (values
      (case ptype when 'p' then rule ->> 2 else rule ->> 0 end), (case ptype when 'g' then rule ->> 1 end)) as r (role)
     where role is not null`
  return (await database.run<{ role: string }>({ text })).map(({ role }) => role)
}

/** When a revision was made; null if unknown. */
export const timeOfRevision =
  (database: Database) =>
  async (revision: number): Promise<Date | null> => {
    const text = 'select time from policy_revisions where revision = $1'
    const [row] = await database.run<{ time: Date }>({ text, values: [revision] })
    return row?.time ?? null
  }

/** Builds the snapshot of stored rows. Throws PolicyError if they do not parse or break an invariant. */
export const checkedSnapshot = async ({ revision, stored }: StoredRevision, rules: PolicyRules): Promise<Snapshot> => {
  const invariants = rules.invariants()
  try {
    const { rows, comments } = await parseStored(stored)
    const snapshot = await buildSnapshot(revision, rules.model, rows, comments)
    const [violation] = await findViolations(snapshot, invariants)
    if (violation) throw new PolicyError(`its rows break ${describeViolation(violation)}`)
    return snapshot
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    throw new PolicyError(
      `policy revision ${revision} cannot be in force: ${error.message}. ` +
        'To recover: linkgate policy restore REVISION, or see docs/operations.md.',
    )
  }
}
