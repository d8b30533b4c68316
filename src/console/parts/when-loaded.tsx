import type { ComponentChildren } from 'preact'

import { t } from '../language/language'
import { LoadProblem } from './load-problem'
import type { Loaded } from './loaded'

/** What was loaded. Until then, that it is loading; above it, why the last load failed. */
export const WhenLoaded = <Value,>({
  of,
  children,
}: {
  readonly of: Loaded<Value>
  readonly children: (value: Value) => ComponentChildren
}) => (
  <>
    <LoadProblem of={of} />
    {of.value === null ? of.busy && <p class="hint">{t.loading}</p> : children(of.value)}
  </>
)
