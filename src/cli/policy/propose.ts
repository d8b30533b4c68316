import { CallerChanged, PolicyReplaced } from '../../database/errors.js'
import { Refusal } from '../../domain/refusal.js'
import type { EditPlan } from '../../policy/edit.js'
import { PolicyError } from '../../policy/policy-error.js'
import { insertProposal } from '../../policy/proposal-statements.js'
import { terminalActor, type PolicySession } from './session.js'

/** The first statement of a transaction from the command line: fails if another revision is in force. */
export const enterUnder = (revision: number) => ({
  text: `select enter_change('policy_editor', null, $1, '', null, null)`,
  values: [revision],
})

/** Turns a concurrent change into a refusal. */
export const explainReplaced = (error: unknown): never => {
  if (error instanceof CallerChanged) throw new Refusal('proposer_lost_rights', { cause: error })
  if (!(error instanceof PolicyReplaced)) throw error
  const detail = 'The policy was edited at the same time, so nothing was done. Look at the new revision, and try again.'
  throw new Refusal('precondition_failed', { detail, cause: error })
}

/** Stores a plan as a proposal of the person at the terminal; resolves with its id. */
export const propose = async (
  { database, stored }: PolicySession,
  { add, remove, commented }: EditPlan,
  reason: string,
): Promise<string> => {
  if (stored.fault !== null)
    throw new PolicyError('the stored rows cannot be in force, so nothing can be proposed: use --without-approval')
  const base = stored.revision
  const insert = insertProposal({ actor: terminalActor(), reason, base, add, remove, commented })
  const [, inserted] = await database.flush([enterUnder(base), insert]).catch(explainReplaced)
  return String(inserted?.rows[0]?.['id'])
}
