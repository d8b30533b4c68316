import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'

import { LinkgateProblem } from '../api'

/** What a page has loaded. During a reload, or after a failed one, the last value stays. */
interface State<T> {
  readonly value: T | null
  readonly problem: LinkgateProblem | null
  readonly busy: boolean
  /** when the value was loaded */
  readonly at: Date | null
}

export interface Loaded<T> extends State<T> {
  readonly again: () => void
  /**
   * Replaces the value by a newer one, such as the answer to a change. False if the keys have changed since: it is no
   * answer to what is loaded now.
   */
  readonly put: (value: T) => boolean
}

/** Any other error is a bug, and is rethrown. */
export const problemIn = (error: unknown): LinkgateProblem => {
  if (error instanceof LinkgateProblem) return error
  throw error
}

/** Catches the error of a change: calls `leave` if somebody else has removed the record (404), and throws it again. */
export const ifGone =
  (leave: () => unknown) =>
  (error: unknown): never => {
    if (problemIn(error).status === 404) void leave()
    throw error
  }

/** What stays shown while the next attempt is running: a lost connection, but no other problem. */
export const stillLost = (problem: LinkgateProblem | null): LinkgateProblem | null =>
  problem?.code === 'network_error' ? problem : null

/**
 * Loads, and reloads when one of `keys` changes or `again` is called; the previous load is aborted. Call it at the top
 * of a component.
 */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> => {
  const state = useSignal<State<T>>({ value: null, problem: null, busy: true, at: null })
  const turn = useSignal(0)
  const latest = useRef(load)
  latest.current = load
  const show = (value: T) => (state.value = { value, problem: null, busy: false, at: new Date() })
  /** until the keys change, or the component is gone */
  const left = useMemo(() => new AbortController(), keys)
  useEffect(() => () => left.abort(), [left])
  const running = useRef<AbortController | null>(null)
  useEffect(() => {
    const ended = (running.current = new AbortController())
    state.value = { ...state.peek(), busy: true }
    const run = async () => {
      try {
        const value = await latest.current(ended.signal)
        if (!ended.signal.aborted) show(value)
      } catch (error) {
        if (!ended.signal.aborted) state.value = { ...state.peek(), problem: problemIn(error), busy: false }
      }
    }
    void run()
    return () => ended.abort()
  }, [...keys, turn.value])
  const put = (value: T) => {
    if (left.signal.aborted) return false
    // it may have read what the change has replaced
    running.current?.abort()
    show(value)
    return true
  }
  return { ...state.value, again: () => (turn.value += 1), put }
}
