import type { Database } from '../database/database.js'
import type { Deadline } from '../domain/deadline.js'
import { commentedRows, type CommentedRows } from './comments.js'
import { NewestNotGood } from './current.js'
import { checkPlan, editBetween, type EditMaker, type EditPlan } from './edit.js'
import { revisionBefore, rowsOfRevision } from './history.js'
import type { EditedRow } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import { buildSnapshot, type Snapshot } from './snapshot.js'
import {
  checkedSnapshot,
  parseStoredRow,
  readNewer,
  readStored,
  type PolicyRules,
  type StoredRevision,
  type StoredRow,
} from './store.js'

/** The stored policy, whether or not it can be in force. */
export interface StoredPolicy extends StoredRevision {
  /** the newest revision that can be in force, which every running process uses; an empty one if there is none */
  readonly lastGood: Snapshot
  /** why the newest revision cannot be in force, in one line; null if it can */
  readonly fault: string | null
}

/** How many revisions are tried for one that can be in force. */
const MOST_TRIED = 100

/** The newest revision before `newest`, but after `known`, that can be in force; null if there is none. */
const goodBefore = async (
  database: Database,
  rules: PolicyRules,
  newest: StoredRevision,
  known: number,
): Promise<Snapshot | null> => {
  let tried = newest
  while (tried.revision - 1 > Math.max(known, newest.revision - MOST_TRIED)) {
    const before = await revisionBefore(database, tried, tried.revision - 1)
    if (before === null) return null
    tried = before
    try {
      return await checkedSnapshot(tried, rules)
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error
    }
  }
  return null
}

/** Reads the stored policy. Rows that somebody broke by hand are not an error here, since commands repair them. */
export const readStoredPolicy = async (database: Database, rules: PolicyRules): Promise<StoredPolicy> => {
  const newest = await readStored(database)
  const empty = () => buildSnapshot(0, rules.model, [])
  if (newest.revision === 0) return { ...newest, lastGood: await empty(), fault: null }
  try {
    return { ...newest, lastGood: await checkedSnapshot(newest, rules), fault: null }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const lastGood = (await goodBefore(database, rules, newest, 0)) ?? (await empty())
    return { ...newest, lastGood, fault: error.message }
  }
}

/**
 * Makes the function that loads the newest revision: null if it is `known`, or if no policy was ever stored. Throws
 * PolicyError for rows that do not parse or that break an invariant; to a process that has a policy, it says which
 * earlier revision was missed and can be in force.
 */
export const loadSnapshot = (
  database: Database,
  rules: PolicyRules,
): ((known: number | null) => Promise<Snapshot | null>) => {
  // the revision for which an earlier one was looked for: once, since processes ask several times a second
  let searched: number | null = null
  return async (known) => {
    const newer = await readNewer(database, known ?? 0)
    if (newer === null) return null
    try {
      return await checkedSnapshot(newer, rules)
    } catch (error) {
      if (!(error instanceof PolicyError) || known === null || searched === newer.revision) throw error
      const good = await goodBefore(database, rules, newer, known)
      searched = newer.revision
      throw new NewestNotGood(error.message, good)
    }
  }
}

/**
 * Plans the edit that results in exactly these rows and comments, with the checks of every edit (`planEdit`). Decisions
 * are compared with the last good revision, even if the stored rows cannot be in force.
 */
export const planReplacement = async (
  { revision, stored, lastGood }: StoredPolicy,
  { rows, comments }: CommentedRows,
  rules: PolicyRules,
  maker: EditMaker,
  deadline?: Deadline,
): Promise<EditPlan> => {
  const readable: EditedRow[] = []
  const unreadable: StoredRow[] = []
  for (const each of stored) {
    const row = parseStoredRow(each)
    if (row.ok) readable.push({ row: row.value, comment: each.comment })
    else unreadable.push(each)
  }
  const { rows: before, comments: commentsBefore } = commentedRows(readable)
  const { add, remove } = editBetween(before, rows)
  const removed = new Set(remove)
  const kept = before.filter((row) => !removed.has(row))
  const difference = editBetween(lastGood.rows, rows)
  return checkPlan(
    {
      base: lastGood,
      revision: revision + 1,
      rows: [...kept, ...add],
      commentsBefore,
      comments,
      changed: [...difference.add, ...difference.remove],
      add,
      remove,
      unreadable,
      maker,
    },
    rules,
    deadline,
  )
}

/** Plans a return to an earlier revision; null if there was no such revision. Otherwise like `planReplacement`. */
export const planRestore = async (
  database: Database,
  stored: StoredPolicy,
  revision: number,
  rules: PolicyRules,
  maker: EditMaker,
  deadline?: Deadline,
): Promise<EditPlan | null> => {
  const found = await rowsOfRevision(database, stored, revision)
  return found && planReplacement(stored, found, rules, maker, deadline)
}
