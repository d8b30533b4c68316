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
      for (const { revision, isByHand } of lines) {
        if (known.peek().has(revision)) continue
        const turned = await changesOf(revision, isByHand, signal).then(countTurned, (error: unknown) => {
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

/** Changes made directly in the database are recorded without their decisions, so both revisions are compared. */
const changesOf = async (revision: number, isByHand: boolean, signal: AbortSignal) => {
  const found =
    isByHand && revision > 1
      ? await api.comparePolicyRevisions({ from: revision - 1, to: revision }, { signal })
      : await api.getPolicyRevision(revision, { signal })
  return found.decisions_changed
}
