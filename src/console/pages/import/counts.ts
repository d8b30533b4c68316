import type { Outcome } from './outcome.js'
import type { Row } from './rows.js'

/** The shown states of rows; a taken code that is not yet compared counts as open. */
export const STATES = ['open', 'new', 'made', 'there', 'conflict', 'refused'] as const
export type State = (typeof STATES)[number]

export const stateOf = ({ is }: Outcome): State => (is === 'taken' ? 'open' : is)

export const countStates = (rows: readonly Row[]): Readonly<Record<State, number>> => {
  const counts = { open: 0, new: 0, made: 0, there: 0, conflict: 0, refused: 0 }
  for (const { outcome } of rows) counts[stateOf(outcome)] += 1
  return counts
}
