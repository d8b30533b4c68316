import { PACKAGE_ROOT } from '../../config.js'
import type { Database } from '../../database/database.js'
import type { CommentedRows } from '../../policy/comments.js'
import { parsePolicyCsv } from '../../policy/csv.js'
import { rowsOfRevision } from '../../policy/history.js'
import { describeLoop, findLoop } from '../../policy/inheritance.js'
import { installDefaultPolicy, loadPolicyRules } from '../../policy/installation.js'
import { PolicyError } from '../../policy/policy-error.js'
import { readStoredPolicy, type StoredPolicy } from '../../policy/replacement.js'
import { buildSnapshot, type Snapshot } from '../../policy/snapshot.js'
import type { PolicyRules } from '../../policy/store.js'
import { complain } from '../print.js'
import { readTextFile } from '../read-text-file.js'
import { osUser, withDatabase } from '../session.js'

/** The stored policy, and the files of this installation. */
export interface PolicySession {
  readonly database: Database
  readonly rules: PolicyRules
  readonly stored: StoredPolicy
  /** POLICY_APPROVALS */
  readonly approvals: boolean
}

/**
 * Runs a command on the stored policy. An empty database gets the default policy first, as at a start of the service.
 * If the newest rows cannot be in force (edited by hand), the command warns and uses the last good revision.
 */
export const withPolicy = async <T>(work: (session: PolicySession) => Promise<T>): Promise<T> => {
  const rules = await loadPolicyRules(PACKAGE_ROOT)
  return withDatabase(async (database, { policyApprovals: approvals }) => {
    await installDefaultPolicy(database, rules, PACKAGE_ROOT)
    const stored = await readStoredPolicy(database, rules)
    const { fault, lastGood } = stored
    const inForce = lastGood.revision === 0 ? 'No earlier revision is good.' : `Revision ${lastGood.revision} is used.`
    if (fault !== null) complain(`warning: ${fault} ${inForce}`)
    return work({ database, rules, stored, approvals })
  })
}

/** The rows and comments of a policy file. Throws PolicyError naming the file and each faulty line. */
export const readRowsFile = async (file: string): Promise<CommentedRows> =>
  parsePolicyCsv(file, await readTextFile(file))

/** The policy of a file, without checking invariants. Throws PolicyError naming the file. */
export const snapshotOfFile = async (file: string, rules: PolicyRules): Promise<Snapshot> => {
  const { rows, comments } = await readRowsFile(file)
  try {
    const snapshot = await buildSnapshot(0, rules.model, rows, comments)
    const loop = findLoop(snapshot.engine.inheritance, rows)
    if (loop !== null) throw new PolicyError(describeLoop(loop))
    return snapshot
  } catch (error) {
    throw error instanceof PolicyError ? new PolicyError(`${file}: ${error.message}`) : error
  }
}

/** The policy of a revision, without checking invariants. Throws PolicyError if there is no such revision. */
export const snapshotOfRevision = async (
  { database, rules, stored }: PolicySession,
  revision: number,
): Promise<Snapshot> => {
  if (revision === stored.lastGood.revision) return stored.lastGood
  const found = await rowsOfRevision(database, stored, revision)
  if (found === null) throw new PolicyError(`there is no policy revision ${revision}`)
  return buildSnapshot(revision, rules.model, found.rows, found.comments)
}

/** The person at the terminal, for the history. */
export const terminalActor = () => ({ id: null, name: `${osUser()} (command line)` }) as const
