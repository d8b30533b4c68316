import type { Outcome } from './outcome.js'
import type { Row } from './rows.js'

/** What rows are shown as: what is still to be seen of a taken code is open. */
export const STATES = ['open', 'new', 'made', 'there', 'conflict', 'refused'] as const
export type State = (typeof STATES)[number]

export const stateOf = ({ is }: Outcome): State => (is === 'taken' ? 'open' : is)

export const countStates = (rows: readonly Row[]): Readonly<Record<State, number>> => {
  const counts = { open: 0, new: 0, made: 0, there: 0, conflict: 0, refused: 0 }
  for (const { outcome } of rows) counts[stateOf(outcome)] += 1
  return counts
}
