import { readFile } from 'node:fs/promises'

import { PACKAGE_ROOT } from '../../config.js'
import type { Database } from '../../database/database.js'
import type { PolicyRow } from '../../domain/policy-row.js'
import { parsePolicyCsv } from '../../policy/csv.js'
import type { EditOrigin } from '../../policy/edit.js'
import { rowsOfRevision } from '../../policy/history.js'
import { installDefaultPolicy, loadPolicyRules } from '../../policy/installation.js'
import { PolicyError } from '../../policy/policy-error.js'
import { readStoredPolicy } from '../../policy/replacement.js'
import type { StoredPolicy } from '../../policy/replacement.js'
import { buildSnapshot } from '../../policy/snapshot.js'
import type { Snapshot } from '../../policy/snapshot.js'
import type { PolicyRules } from '../../policy/store.js'
import { osUser, withDatabase } from '../session.js'
import { warn } from '../progress.js'

/** What a command works on: the stored policy, and the files of this installation. */
export interface PolicySession {
  readonly database: Database
  readonly rules: PolicyRules
  readonly stored: StoredPolicy
}

/**
 * Runs a command on the stored policy; an empty database gets the default one first, as the service would give it. Rows
 * that somebody broke by hand are told of, and the command goes on with the last revision that was whole.
 */
export const withPolicy = async <T>(work: (session: PolicySession) => Promise<T>): Promise<T> => {
  const rules = await loadPolicyRules(PACKAGE_ROOT)
  return withDatabase(async (database) => {
    await installDefaultPolicy(database, rules, PACKAGE_ROOT)
    const stored = await readStoredPolicy(database, rules)
    if (stored.fault !== null)
      warn(
        `${stored.fault} ${stored.lastGood.revision === 0 ? 'No earlier revision is whole either.' : `Until then revision ${stored.lastGood.revision} counts as the one in force.`}`,
      )
    return work({ database, rules, stored })
  })
}

/** The rows of a policy file. Throws PolicyError naming the file and each faulty line. */
export const readRowsFile = async (file: string): Promise<readonly PolicyRow[]> =>
  parsePolicyCsv(file, await readFile(file, 'utf8'))

/** The snapshot that the rows of a file make, asked of no invariant. Throws PolicyError naming the file. */
export const snapshotOfFile = async (file: string, rules: PolicyRules, revision = 0): Promise<Snapshot> => {
  const rows = await readRowsFile(file)
  try {
    return await buildSnapshot(revision, rules.model, rows)
  } catch (error) {
    throw error instanceof PolicyError ? new PolicyError(`${file}: ${error.message}`) : error
  }
}

/** The snapshot of an earlier revision, asked of no invariant. Throws PolicyError where there was none. */
export const snapshotOfRevision = async (
  { database, rules, stored }: PolicySession,
  revision: number,
): Promise<Snapshot> => {
  if (revision === stored.lastGood.revision) return stored.lastGood
  const rows = await rowsOfRevision(database, stored, revision)
  if (rows === null) throw new PolicyError(`there is no policy revision ${revision}`)
  return buildSnapshot(revision, rules.model, rows)
}

/** Whoever sits at the terminal, as the history names them. No decision is recorded: nobody asked the policy. */
export const terminalOrigin = (reason: string): EditOrigin => ({
  actor: { id: null, name: `${osUser()} (command line)` },
  reason,
  decision: null,
})
