import type { Visits } from '../../api'
import { timeZone } from '../../language/format'
import { useLoaded } from '../loaded'
import { boundsOf, type Bounds, type Interval, type Period } from './periods'

export interface Compared<Answer extends Visits = Visits> {
  readonly period: Period
  readonly interval: Interval
  readonly shown: Answer
  readonly before: Visits
}

/** Loads both; reloads when the period or one of `keys` changes. */
export const useVisits = <Answer extends Visits>(
  ask: (bounds: Bounds, signal: AbortSignal) => Promise<Answer>,
  period: Period,
  keys: readonly unknown[],
) =>
  useLoaded(
    async (signal): Promise<Compared<Answer>> => {
      const bounds = boundsOf(period, Date.now(), timeZone())
      const [shown, before] = await Promise.all([ask(bounds.shown, signal), ask(bounds.before, signal)])
      return { period, interval: bounds.shown.interval, shown, before }
    },
    [period, ...keys],
  )
