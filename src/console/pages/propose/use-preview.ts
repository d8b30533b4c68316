import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import type { LinkgateProblem, PolicyPreview } from '../../api'
import { problemIn } from '../../parts/loaded'
import type { changesIn } from './draft'

/** The preview of an edit. While it is reloaded, the last one stays. */
interface Previewed {
  readonly value: PolicyPreview | null
  readonly problem: LinkgateProblem | null
  /** whether the preview is of the current edit */
  readonly isFresh: boolean
}

/** A preview, and how to repeat it. */
interface Previewing {
  readonly state: Signal<Previewed>
  readonly again: () => void
}

/** How long after the last key a preview is requested, in milliseconds. */
const STILL_MS = 350

type Changes = ReturnType<typeof changesIn>

/** The edit in the form of the service, without the draft's ids. */
export const bodyOf = ({ add, remove }: Changes) => ({
  add: add.map(({ row }) => row),
  remove: remove.map(({ row }) => row),
})

/**
 * Previews an edit while it is typed; an earlier request is aborted. A refused edit is previewed again when the user
 * returns to the page, because the reason may have been fixed elsewhere. `base`: the revision that the edit is based
 * on.
 */
export const usePreview = (changes: Changes, base: number): Previewing => {
  const state = useSignal<Previewed>({ value: null, problem: null, isFresh: false })
  const body = bodyOf(changes)
  const key = JSON.stringify([base, body])
  const turn = useSignal(0)
  useEffect(() => {
    const comeBack = () => {
      const { value, problem } = state.peek()
      if (problem !== null || (value?.objections.length ?? 0) > 0) turn.value += 1
    }
    addEventListener('focus', comeBack)
    return () => removeEventListener('focus', comeBack)
  }, [])
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
  }, [key, turn.value])
  return { state, again: () => (turn.value += 1) }
}
