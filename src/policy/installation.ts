import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import type { Database } from '../database/database.js'
import { StartError } from '../domain/start-error.js'
import { commitEdit, planEdit } from './edit.js'
import { parseInvariants } from './invariants.js'
import type { Invariant } from './invariants.js'
import { parseModel } from './model.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { parsePolicyCsv } from './row-csv.js'
import { buildSnapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/**
 * Reads model.conf and policies/invariants.csv of an installation; the second again whenever invariants are asked.
 * Throws PolicyError where one does not parse.
 */
export const loadPolicyRules = async (root: URL): Promise<PolicyRules> => {
  const newest = newestInvariants(new URL('policies/invariants.csv', root))
  return { model: parseModel(await readFile(new URL('model.conf', root), 'utf8')), invariants: await newest(), newest }
}

/**
 * Reads the file whenever it is asked, and parses it where it is another. Not asynchronously: it is as small as a
 * module and lies beside them, and between a new revision and its coming in force the turns of the thread pool took
 * longer than the invariants.
 */
const newestInvariants = (file: URL) => {
  let known: { readonly text: string; readonly invariants: readonly Invariant[] } | undefined
  return async (): Promise<readonly Invariant[]> => {
    const text = readFileSync(file, 'utf8')
    if (known?.text !== text) known = { text, invariants: parseInvariants(text) }
    return known.invariants
  }
}

/**
 * Loads policies/default.csv into a database that has never had a policy, as revision 1. Answers whether it did.
 * A table that is empty but has a history was emptied by somebody; that is not the same, and is left alone.
 */
export const installDefaultPolicy = async (database: Database, rules: PolicyRules, root: URL): Promise<boolean> => {
  const [head] = await database.run<{ revision: string }>({ text: 'select revision from policy_head' })
  if (head?.revision !== '0') return false
  const rows = parsePolicyCsv(await readFile(new URL('policies/default.csv', root), 'utf8'))
  if (!rows.ok) throw new PolicyError(`policies/default.csv: ${describeFaults(rows.faults)}`)
  const empty = await buildSnapshot(0, rules.model, [])
  const plan = await planEdit(empty, { add: rows.value, remove: [] }, rules)
  try {
    await commitEdit(database, plan, {
      actor: { id: null, name: 'linkgate' },
      reason: 'the default policy',
      requestId: 'start',
      record: null,
    })
    return true
  } catch (error) {
    const [now] = await database.run<{ revision: string }>({ text: 'select revision from policy_head' })
    // another process was faster
    if (now && now.revision !== '0') return false
    throw new StartError('the default policy could not be stored', { cause: error })
  }
}
