import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api } from '../../api'
import type { LinkgateProblem } from '../../api'
import { problemIn } from '../loaded'
import { sumOf, waitBefore, withinMinute } from './arrivals'
import type { Arrivals } from './arrivals'

export type Live =
  | { readonly is: 'connecting' }
  | { readonly is: 'on'; readonly lastMinute: number }
  | { readonly is: 'paused'; readonly fresh: number }
  /** in seconds; null: it is not tried again */
  | { readonly is: 'lost'; readonly againIn: number | null }

/** How often the page is told of visits at most, and how often the last minute is counted again, in milliseconds. */
const TOLD_MS = 10_000
const COUNTED_MS = 5_000

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** 403 and 404 will not turn into anything else by asking again. */
const isFinal = ({ status }: LinkgateProblem): boolean => status >= 400 && status < 500 && status !== 429

/**
 * Watches a link's visits while the page is seen. `onVisits` is told that there are more, at most every ten seconds,
 * and not while it is paused.
 */
export const useLive = (
  code: string,
  onVisits: () => unknown,
): { readonly live: Signal<Live>; readonly turn: () => void } => {
  const live = useSignal<Live>({ is: 'connecting' })
  const isPaused = useRef(false)
  const fresh = useRef(0)
  const told = useRef(onVisits)
  told.current = onVisits

  useEffect(() => {
    let last: number | null = null
    let arrivals: Arrivals = []
    let telling: ReturnType<typeof setTimeout> | undefined
    let ended = new AbortController()

    const show = () => {
      arrivals = withinMinute(arrivals, Date.now())
      live.value = isPaused.current ? { is: 'paused', fresh: fresh.current } : { is: 'on', lastMinute: sumOf(arrivals) }
    }
    const tell = () => {
      telling ??= setTimeout(() => {
        telling = undefined
        if (!isPaused.current && !document.hidden) void told.current()
      }, TOLD_MS)
    }
    /** `isFirst`: nobody knows when they came, as nobody watched */
    const count = (total: number, isFirst: boolean) => {
      const more = last === null ? 0 : Math.max(0, total - last)
      last = total
      if (more > 0) {
        if (!isFirst) arrivals = [...arrivals, { at: Date.now(), visits: more }]
        if (isPaused.current) fresh.current += more
        else tell()
      }
      show()
    }
    const watch = async (signal: AbortSignal) => {
      for (let attempt = 0; !signal.aborted; attempt += 1) {
        try {
          let isFirst = true
          for await (const { total } of api.watchLinkVisits(code, {}, { signal })) {
            count(total, isFirst)
            isFirst = false
            attempt = 0
          }
        } catch (error) {
          if (signal.aborted) return
          if (isFinal(problemIn(error))) {
            live.value = { is: 'lost', againIn: null }
            return
          }
        }
        // the service ends each stream after a while, which is no loss
        for (let left = waitBefore(attempt); left > 0 && !signal.aborted; left -= 1) {
          if (attempt > 0) live.value = { is: 'lost', againIn: left }
          await pause(1_000, signal)
        }
      }
    }
    const follow = () => {
      ended.abort()
      ended = new AbortController()
      // a stream over a network that is gone just falls silent
      if (!navigator.onLine) live.value = { is: 'lost', againIn: null }
      else if (!document.hidden) void watch(ended.signal)
    }
    const counting = setInterval(() => {
      if (live.peek().is === 'on') show()
    }, COUNTED_MS)
    follow()
    document.addEventListener('visibilitychange', follow)
    addEventListener('online', follow)
    addEventListener('offline', follow)
    return () => {
      ended.abort()
      clearInterval(counting)
      clearTimeout(telling)
      document.removeEventListener('visibilitychange', follow)
      removeEventListener('online', follow)
      removeEventListener('offline', follow)
    }
  }, [code])

  return {
    live,
    turn: () => {
      isPaused.current = !isPaused.current
      const missed = fresh.current
      fresh.current = 0
      if (isPaused.current) live.value = { is: 'paused', fresh: 0 }
      else live.value = { is: 'on', lastMinute: 0 }
      if (!isPaused.current && missed > 0) void onVisits()
    },
  }
}
