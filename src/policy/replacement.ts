import type { Database } from '../database/database.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { candidateOf, planEdit, requireInvariants } from './edit.js'
import type { EditPlan } from './edit.js'
import { editBetween, requireReadable, rowsAt } from './history.js'
import { PolicyError } from './policy-error.js'
import { buildSnapshot } from './snapshot.js'
import type { Snapshot } from './snapshot.js'
import { invariantsOf, parseStoredRow, readStored, wholeSnapshot } from './store.js'
import type { PolicyRules, StoredRevision, StoredRow } from './store.js'
import { decisionChanges } from './table.js'

/** What the database holds, whether or not it can be in force. */
export interface StoredPolicy extends StoredRevision {
  /** the newest revision that is whole: what every running process decides by. An empty one where there is none. */
  readonly lastGood: Snapshot
  /** why the newest rows cannot be in force, in one line; null where they are */
  readonly fault: string | null
}

/** How many revisions are looked through for one that is whole. */
const MOST_TRIED = 100

/** Reads what is stored. Rows that somebody broke by hand are no error here: this is where the way out begins. */
export const readStoredPolicy = async (database: Database, rules: PolicyRules): Promise<StoredPolicy> => {
  const newest = await readStored(database)
  if (newest.revision === 0) return { ...newest, lastGood: await buildSnapshot(0, rules.model, []), fault: null }
  try {
    return { ...newest, lastGood: await wholeSnapshot(newest, rules), fault: null }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    return { ...newest, lastGood: await findLastGood(database, newest, rules), fault: error.message }
  }
}

const findLastGood = async (database: Database, newest: StoredRevision, rules: PolicyRules): Promise<Snapshot> => {
  let at: StoredRevision | null = newest
  for (let tried = 0; at !== null && tried < MOST_TRIED; tried += 1) {
    at = await rowsAt(database, at, at.revision - 1)
    const whole =
      at &&
      (await wholeSnapshot(at, rules).catch((error: unknown) => {
        if (error instanceof PolicyError) return null
        throw error
      }))
    if (whole) return whole
  }
  return buildSnapshot(0, rules.model, [])
}

/**
 * Plans the edit after which exactly these rows are stored, with the checks of every edit. Works from rows that cannot
 * be in force, too: then the decisions that change are those against the last revision that was whole.
 */
export const planReplacement = async (
  { revision, stored, lastGood, fault }: StoredPolicy,
  rows: readonly PolicyRow[],
  rules: PolicyRules,
): Promise<EditPlan> => {
  const edit = editBetween(lastGood.rows, rows)
  if (fault === null) return planEdit(lastGood, edit, rules)
  const readable: PolicyRow[] = []
  const unreadable: StoredRow[] = []
  for (const each of stored) {
    const row = parseStoredRow(each)
    if (row.ok) readable.push(row.value)
    else unreadable.push(each)
  }
  const { add, remove } = editBetween(readable, rows)
  const gone = new Set(remove)
  const candidate = await candidateOf(revision + 1, rules.model, [...readable.filter((row) => !gone.has(row)), ...add])
  await requireInvariants(candidate, await invariantsOf(rules))
  return {
    add,
    remove,
    unreadable,
    candidate,
    changes: await decisionChanges(lastGood, candidate, [...edit.add, ...edit.remove]),
  }
}

/**
 * The rows as they were at a revision; null where there was none. Throws `validation_failed` where they do not parse.
 */
export const rowsOfRevision = async (
  database: Database,
  stored: StoredPolicy,
  revision: number,
): Promise<readonly PolicyRow[] | null> => {
  const at = await rowsAt(database, stored, revision)
  return at && requireReadable(at)
}

/** True where a plan changes no row: it makes no revision. */
export const isEmpty = ({ add, remove, unreadable }: EditPlan): boolean =>
  add.length + remove.length + unreadable.length === 0
