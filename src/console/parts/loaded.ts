import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { LinkgateProblem } from '../api'

/** What a page has loaded. During a reload, or after a failed one, the last value stays. */
export interface Loaded<T> {
  readonly value: T | null
  readonly problem: LinkgateProblem | null
  readonly busy: boolean
  /** when the value was loaded */
  readonly at: Date | null
}

/** A load, and how to repeat it. */
export interface Loading<T> {
  readonly state: Signal<Loaded<T>>
  readonly again: () => void
}

/** Any other error is a bug, and is rethrown. */
export const problemIn = (error: unknown): LinkgateProblem => {
  if (error instanceof LinkgateProblem) return error
  throw error
}

/** What stays shown while the next attempt is running: a lost connection, but no other problem. */
export const stillLost = (problem: LinkgateProblem | null): LinkgateProblem | null =>
  problem?.code === 'network_error' ? problem : null

/**
 * Loads, and reloads when one of `keys` changes or `again` is called; the previous load is aborted. Call it at the top
 * of a component.
 */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loading<T> => {
  const state = useSignal<Loaded<T>>({ value: null, problem: null, busy: true, at: null })
  const turn = useSignal(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const ended = new AbortController()
    state.value = { ...state.peek(), busy: true }
    const run = async () => {
      try {
        const value = await latest.current(ended.signal)
        if (!ended.signal.aborted) state.value = { value, problem: null, busy: false, at: new Date() }
      } catch (error) {
        if (!ended.signal.aborted) state.value = { ...state.peek(), problem: problemIn(error), busy: false }
      }
    }
    void run()
    return () => ended.abort()
  }, [...keys, turn.value])
  return { state, again: () => (turn.value += 1) }
}
