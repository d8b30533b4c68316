import type { ComponentChildren } from 'preact'

import { t } from '../language/language'
import { LoadProblem } from './load-problem'
import type { Loading } from './loaded'

/** What was loaded; until then, that it is loading, or why it failed. */
export const WhenLoaded = <Value,>({
  of: { state, again },
  inCard = false,
  children,
}: {
  readonly of: Loading<Value>
  /** true directly in a card: the note gets a margin */
  readonly inCard?: boolean
  readonly children: (value: Value) => ComponentChildren
}) => {
  const { value, problem } = state.value
  if (value !== null && problem === null) return <>{children(value)}</>
  const note =
    problem === null ? <p class="hint">{t.loading}</p> : <LoadProblem problem={problem} seen={null} onRetry={again} />
  return inCard ? <div class="body">{note}</div> : note
}
