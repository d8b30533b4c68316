import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import type { Database } from '../database/database.js'
import { StartError } from '../domain/start-error.js'
import { commitEdit } from './commit-edit.js'
import { editAdding, planEdit } from './edit.js'
import { EXPECTATION_FILES, effectOfFile, parseExpectations } from './expectations.js'
import { INVARIANTS_FILE, parseInvariants, type Invariant } from './invariants.js'
import { parseModel } from './model.js'
import { parsePolicyCsv } from './csv.js'
import { buildSnapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

/** The shipped rows, below the package's root. */
export const DEFAULT_FILE = 'policies/default.csv'

/** Reads the model and the invariants of an installation. Throws PolicyError if one of them has a fault. */
export const loadPolicyRules = async (root: URL): Promise<PolicyRules> => {
  const file = new URL(INVARIANTS_FILE, root)
  let cached: { readonly text: string; readonly invariants: readonly Invariant[] } | undefined
  const invariants = () => {
    // synchronous: the file is small, and waiting for the thread pool would take longer than reading it
    const text = readFileSync(file, 'utf8')
    if (cached?.text !== text) cached = { text, invariants: parseInvariants(text) }
    return cached.invariants
  }
  invariants()
  const expectations = () =>
    EXPECTATION_FILES.flatMap((name) => {
      const effect = effectOfFile(name)
      const path = new URL(name, root)
      return effect === null || !existsSync(path) ? [] : parseExpectations(name, effect, readFileSync(path, 'utf8'))
    })
  return { model: parseModel(await readFile(new URL('model.conf', root), 'utf8')), invariants, expectations }
}

/**
 * Stores policies/default.csv as revision 1 in a database that never had a policy, and resolves with whether it did. An
 * empty table with a history stays empty: somebody emptied it.
 */
export const installDefaultPolicy = async (database: Database, rules: PolicyRules, root: URL): Promise<boolean> => {
  const hasPolicy = async () => {
    const [head] = await database.run<{ revision: string }>({ text: 'select revision from policy_head' })
    return head?.revision !== '0'
  }
  if (await hasPolicy()) return false
  const edit = editAdding(parsePolicyCsv(DEFAULT_FILE, await readFile(new URL(DEFAULT_FILE, root), 'utf8')))
  const plan = await planEdit(await buildSnapshot(0, rules.model, []), edit, rules, 'unbounded')
  try {
    await commitEdit(database, plan, {
      actor: { id: null, name: 'linkgate' },
      reason: 'the default policy',
      decision: null,
    })
    return true
  } catch (error) {
    // another process may have been first
    if (await hasPolicy()) return false
    throw new StartError('the default policy could not be stored', { cause: error })
  }
}
