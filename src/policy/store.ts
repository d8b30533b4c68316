import type { Database } from '../database/database.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { describeViolation, findViolations } from './invariants.js'
import type { Invariant } from './invariants.js'
import type { PolicyModel } from './model.js'
import { parseRowTexts } from './parse-row.js'
import type { Parsed } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { buildSnapshot } from './snapshot.js'
import type { Snapshot } from './snapshot.js'

/** What the files of an installation say: the model, and what no revision may break. */
export interface PolicyRules {
  readonly model: PolicyModel
  readonly invariants: readonly Invariant[]
  /**
   * the invariants as their file says now: a change of the file binds the next edit and the next load, also in a
   * running service
   */
  readonly newest?: () => Promise<readonly Invariant[]>
}

/**
 * The invariants to ask. Throws PolicyError where their file does not parse: none is then asked, and nothing is let
 * through.
 */
export const invariantsOf = async ({ invariants, newest }: PolicyRules): Promise<readonly Invariant[]> =>
  newest?.() ?? invariants

/** A row as the table holds it, before anything is known of it. */
export interface StoredRow {
  readonly ptype: string
  readonly rule: unknown
}

/** All rows of one revision, as stored. */
export interface StoredRevision {
  readonly revision: number
  readonly stored: readonly StoredRow[]
}

const SLICE = 1_000

export const parseStoredRow = ({ ptype, rule }: StoredRow): Parsed<PolicyRow> =>
  Array.isArray(rule) && rule.every((text): text is string => typeof text === 'string')
    ? parseRowTexts(ptype, rule)
    : { ok: false, faults: [{ field: '', message: 'must be a list of texts' }] }

/** Narrows stored rows. One that does not parse refuses them all: a policy is loaded whole, or not at all. */
export const parseStored = async (stored: readonly StoredRow[]): Promise<readonly PolicyRow[]> => {
  const rows: PolicyRow[] = []
  for (const [i, each] of stored.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate)
    const row = parseStoredRow(each)
    if (!row.ok)
      throw new PolicyError(
        `a stored row does not parse: ${each.ptype}, ${JSON.stringify(each.rule).slice(0, 200)} (${describeFaults(row.faults)})`,
      )
    rows.push(row.value)
  }
  return rows
}

/**
 * The revision, and beside it each of its rows: one statement, and so one moment. No row at all where the revision is
 * the one that is known.
 */
const NEWER = `
  select h.revision, c.ptype, c.rule from policy_head h left join casbin c on true where h.revision is distinct from $1::bigint
   order by c.ptype, case when c.ptype = 'p' then (c.rule ->> 0)::bigint end, c.id`

/**
 * Rows in the order in which a load finds them, of rows that keep among themselves the order in which they were stored.
 */
export const inStoredOrder = (rows: readonly PolicyRow[]): readonly PolicyRow[] =>
  rows.toSorted((a, b) => {
    if (a.ptype !== b.ptype) return a.ptype < b.ptype ? -1 : 1
    return a.ptype === 'p' && b.ptype === 'p' ? a.priority - b.priority : 0
  })

interface NewerRow {
  readonly revision: string
  readonly ptype: string | null
  readonly rule: unknown
}

/** The stored rows of the newest revision; null where it is the one that is `known`. One round trip either way. */
const readNewer = async (database: Pick<Database, 'run'>, known: number | null): Promise<StoredRevision | null> => {
  const rows = await database.run<NewerRow>({ name: 'policy_rows', text: NEWER, values: [known] })
  const [first] = rows
  if (first === undefined) return null
  return {
    revision: Number(first.revision),
    stored: rows.flatMap(({ ptype, rule }) => (ptype === null ? [] : [{ ptype, rule }])),
  }
}

/**
 * Loads the newest revision as a snapshot; null where it is the one already `known`, or where no policy was stored yet.
 * Reads the table itself rather than through the adapter's loadPolicy, which has no order, blocks, and parses every
 * value again as CSV. Throws PolicyError for rows that do not parse or that break an invariant; what is in force stays
 * so.
 */
export const loadSnapshot =
  (database: Database, rules: PolicyRules) =>
  async (known: number | null): Promise<Snapshot | null> => {
    // 0: nothing was ever stored
    const newer = await readNewer(database, known ?? 0)
    return newer && wholeSnapshot(newer, rules)
  }

/** When a revision was made; null where it is not known. */
export const timeOfRevision =
  (database: Database) =>
  async (revision: number): Promise<Date | null> => {
    const [row] = await database.run<{ time: Date }>({
      text: 'select time from policy_revisions where revision = $1',
      values: [revision],
    })
    return row?.time ?? null
  }

/** The stored rows and their revision, as they are at one moment. */
export const readStored = async (database: Pick<Database, 'run'>): Promise<StoredRevision> =>
  (await readNewer(database, null)) ?? { revision: 0, stored: [] }

/** The snapshot of stored rows. Throws PolicyError, with the way out, where they do not parse or break an invariant. */
export const wholeSnapshot = async ({ revision, stored }: StoredRevision, rules: PolicyRules): Promise<Snapshot> => {
  const broken = (what: string) =>
    new PolicyError(
      `policy revision ${revision} cannot be in force: ${what} To recover: linkgate policy restore REVISION, or see docs/operations.md.`,
    )
  let snapshot: Snapshot
  try {
    snapshot = await buildSnapshot(revision, rules.model, await parseStored(stored))
  } catch (error) {
    throw error instanceof PolicyError ? broken(`${error.message}.`) : error
  }
  const [violation] = await findViolations(snapshot, await invariantsOf(rules))
  if (violation) throw broken(`its rows break an ${describeViolation(violation)}`)
  return snapshot
}
