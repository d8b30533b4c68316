import type { Outcome } from './outcome.js'
import type { Row } from './rows.js'

export interface Known {
  /** targets by code; null: a link whose target the caller does not see */
  readonly byCode: ReadonlyMap<string, string | null>
  readonly ownTargets: ReadonlySet<string>
}

/** True for a row whose outcome depends on existing links. */
export const dependsOnLinks = ({ outcome, code }: Row): boolean =>
  outcome.is === 'taken' || (outcome.is === 'new' && code === '')

/**
 * The outcome of a row given the existing links: one with its code and target comes from an earlier import of the row.
 * Without a code, one of the caller's with its target does.
 */
export const settle = ({ outcome, code, target }: Row, { byCode, ownTargets }: Known): Outcome => {
  if (outcome.is === 'new' && code === '') return ownTargets.has(target) ? { is: 'there' } : outcome
  if (outcome.is !== 'taken') return outcome
  const found = byCode.get(code) ?? null
  if (found === null) return { is: 'conflict', why: { is: 'not yours' } }
  return found === target ? { is: 'there' } : { is: 'conflict', why: { is: 'other target' } }
}
