import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api, type LinkgateProblem, type Verdict } from '../../api'
import { problemIn } from '../../parts/loaded'

/** The progress of a verification of the log. Without a verdict, it has no result. */
type Verification =
  | { readonly is: 'none' | 'stopped' | 'broke off' }
  | { readonly is: 'running'; readonly since: Date; readonly done: number; readonly of: number | null }
  | { readonly is: 'done'; readonly at: Date; readonly verdict: Verdict }
  | { readonly is: 'refused'; readonly problem: LinkgateProblem }

export const useVerification = (
  onVerdict: () => unknown,
): { readonly state: Signal<Verification>; readonly start: () => void; readonly stop: () => void } => {
  const state = useSignal<Verification>({ is: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const run = async () => {
    const { signal } = (running.current = new AbortController())
    const since = new Date()
    state.value = { is: 'running', since, done: 0, of: null }
    try {
      for await (const step of api.verifyLog({ signal })) {
        if (signal.aborted) return
        if ('whole' in step) {
          state.value = { is: 'done', at: new Date(), verdict: step }
          void onVerdict()
          return
        }
        state.value = { is: 'running', since, ...step }
      }
      if (!signal.aborted) state.value = { is: 'broke off' }
    } catch (error) {
      if (!signal.aborted) state.value = { is: 'refused', problem: problemIn(error) }
    }
  }
  return {
    state,
    start: () => void run(),
    stop: () => {
      running.current?.abort()
      state.value = { is: 'stopped' }
    },
  }
}
