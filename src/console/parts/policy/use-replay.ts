import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api, type LinkgateProblem, type Replay } from '../../api'
import { problemIn, stillLost } from '../loaded'
import { partsOf, type Window } from './replays'

interface Replaying {
  readonly parts: readonly Replay[]
  readonly of: number
  /** `stopped`: by a press, or by a problem */
  readonly phase: 'counting' | 'done' | 'stopped'
  readonly problem: LinkgateProblem | null
}

const NONE: Replaying = { parts: [], of: 0, phase: 'done', problem: null }

/** Replays an edit whenever `key` changes; null: there is nothing to replay. The previous replay is aborted. */
export const useReplay = (
  body: { readonly add: readonly object[]; readonly remove: readonly object[] },
  window: Window,
  key: string | null,
) => {
  const state = useSignal<Replaying>(NONE)
  const turn = useSignal(0)
  const ended = useRef(new AbortController())
  useEffect(() => {
    const own = (ended.current = new AbortController())
    const asked = key === null ? [] : partsOf(window, Date.now())
    const run = async () => {
      state.value = {
        parts: [],
        of: asked.length,
        phase: asked.length === 0 ? 'done' : 'counting',
        problem: stillLost(state.peek().problem),
      }
      try {
        for (const query of asked) {
          const { replay } = await api.previewPolicyChange(
            { add: [...body.add], remove: [...body.remove] },
            { query, signal: own.signal },
          )
          if (own.signal.aborted) return
          state.value = { ...state.peek(), problem: null, parts: [...state.peek().parts, ...(replay ? [replay] : [])] }
        }
        state.value = { ...state.peek(), phase: 'done' }
      } catch (error) {
        if (!own.signal.aborted) state.value = { ...state.peek(), phase: 'stopped', problem: problemIn(error) }
      }
    }
    void run()
    return () => own.abort()
  }, [key, window, turn.value])
  return {
    state,
    stop: () => {
      ended.current.abort()
      state.value = { ...state.peek(), phase: 'stopped' }
    },
    again: () => (turn.value += 1),
  }
}
export type ReplayJob = ReturnType<typeof useReplay>
