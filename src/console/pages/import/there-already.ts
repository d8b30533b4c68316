import type { Outcome } from './outcome.js'
import type { Row } from './rows.js'

/** Links that are there already, as far as they matter to an import. */
export interface Known {
  /** targets by codes; null: of a link whose target the caller does not see */
  readonly byCode: ReadonlyMap<string, string | null>
  /** where the caller's own links lead */
  readonly ownTargets: ReadonlySet<string>
}

/** True for a row about which the links that are there decide. */
export const dependsOnLinks = ({ outcome, code }: Row): boolean =>
  outcome.is === 'taken' || (outcome.is === 'new' && code === '')

/**
 * What a row is beside the links that are there: one with its code and target is the row's own, from an earlier import.
 * Without a code, one of the caller's with its target is.
 */
export const settle = ({ outcome, code, target }: Row, { byCode, ownTargets }: Known): Outcome => {
  if (outcome.is === 'new' && code === '') return ownTargets.has(target) ? { is: 'there' } : outcome
  if (outcome.is !== 'taken') return outcome
  const found = byCode.get(code) ?? null
  if (found === null) return { is: 'conflict', why: { is: 'not yours' } }
  return found === target ? { is: 'there' } : { is: 'conflict', why: { is: 'other target' } }
}
