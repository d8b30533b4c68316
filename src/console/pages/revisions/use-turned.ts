import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api, type PolicyRevision } from '../../api'
import { problemIn } from '../../parts/loaded'
import { countTurned, type Turned } from '../../parts/policy/turned'
import { untilAnswered } from '../../parts/reconnect'

/** The decisions that each revision changed, requested one after the other; null: unknown. */
export const useTurned = (revisions: readonly PolicyRevision[]): Signal<ReadonlyMap<number, Turned | null>> => {
  const known = useSignal<ReadonlyMap<number, Turned | null>>(new Map())
  useEffect(() => {
    const ended = new AbortController()
    const ask = async () => {
      for (const { revision } of revisions) {
        if (known.peek().has(revision)) continue
        const turned = await turnedBy(revision, ended.signal)
        if (ended.signal.aborted) return
        known.value = new Map([...known.peek(), [revision, turned]])
      }
    }
    void ask()
    return () => ended.abort()
  }, [revisions.map(({ revision }) => revision).join()])
  return known
}

/** Null if the service refuses, or the caller may not read the rows. */
const turnedBy = async (revision: number, signal: AbortSignal): Promise<Turned | null> => {
  try {
    const { decisions_changed: changes } = await untilAnswered(
      () => api.getPolicyRevision(revision, { signal }),
      signal,
    )
    return changes && countTurned(changes)
  } catch (error) {
    if (!signal.aborted) problemIn(error)
    return null
  }
}
