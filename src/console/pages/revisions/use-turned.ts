import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { problemIn } from '../../parts/loaded'
import { countTurned } from '../../parts/policy/turned'
import type { Turned } from '../../parts/policy/turned'
import type { RevisionLine } from './revision-line'

/** Which decisions each revision changed, asked one after the other; null: it cannot be said. */
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

/** What was changed beside the service is not recorded with its decisions: both revisions are asked. */
const changesOf = async (revision: number, isByHand: boolean, signal: AbortSignal) => {
  const found =
    isByHand && revision > 1
      ? await api.comparePolicyRevisions({ from: revision - 1, to: revision }, { signal })
      : await api.getPolicyRevision(revision, { signal })
  return found.decisions_changed
}
