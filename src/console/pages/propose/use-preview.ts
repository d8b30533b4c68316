import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import type { LinkgateProblem, PolicyPreview } from '../../api'
import { problemIn } from '../../parts/loaded'
import type { changesIn } from './draft'

/** What the service says of an edit. While it is asked again the last answer stays. */
export interface Previewed {
  readonly value: PolicyPreview | null
  readonly problem: LinkgateProblem | null
  /** whether the answer is about the edit as it is now */
  readonly isFresh: boolean
}

/** After so many milliseconds without a key an edit is asked about. */
const STILL_MS = 350

type Changes = ReturnType<typeof changesIn>

/** The edit as the service takes it, without the places in the draft. */
export const bodyOf = ({ add, remove }: Changes) => ({
  add: add.map(({ row }) => row),
  remove: remove.map(({ row }) => row),
})

/** Asks about an edit as it is typed; an earlier question is given up. `base`: the revision that it is made on. */
export const usePreview = (changes: Changes, base: number): Signal<Previewed> => {
  const state = useSignal<Previewed>({ value: null, problem: null, isFresh: false })
  const body = bodyOf(changes)
  const key = JSON.stringify([base, body])
  useEffect(() => {
    state.value = { ...state.peek(), isFresh: false }
    const ended = new AbortController()
    const ask = async () => {
      try {
        const value = await api.previewPolicyChange(body, { signal: ended.signal })
        if (!ended.signal.aborted) state.value = { value, problem: null, isFresh: true }
      } catch (error) {
        if (!ended.signal.aborted) state.value = { value: null, problem: problemIn(error), isFresh: true }
      }
    }
    const timer = setTimeout(() => void ask(), STILL_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [key])
  return state
}
