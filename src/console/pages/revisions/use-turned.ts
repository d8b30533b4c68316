import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { problemIn } from '../../parts/loaded'
import { countTurned } from '../../parts/policy/turned'
import type { Turned } from '../../parts/policy/turned'
import type { RevisionLine } from './revision-line'

/** The decisions that each revision changed, requested one after the other; null: unknown. */
export const useTurned = (lines: readonly RevisionLine[]): Signal<ReadonlyMap<number, Turned | null>> => {
  const known = useSignal<ReadonlyMap<number, Turned | null>>(new Map())
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const ask = async () => {
      for (const { revision } of lines) {
        if (known.peek().has(revision)) continue
        const turned = await turnedBy(revision, signal).catch((error: unknown) => {
          if (signal.aborted) throw error
          problemIn(error)
          return null
        })
        known.value = new Map([...known.peek(), [revision, turned]])
      }
    }
    ask().catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    return () => ended.abort()
  }, [lines.map(({ revision }) => revision).join()])
  return known
}

const turnedBy = async (revision: number, signal: AbortSignal): Promise<Turned | null> => {
  const { decisions_changed: changes } = await api.getPolicyRevision(revision, { signal })
  return changes && countTurned(changes)
}
