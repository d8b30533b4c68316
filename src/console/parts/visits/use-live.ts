import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api } from '../../api'
import { stayConnected } from '../stay-connected'
import { whileVisible } from '../while-visible'
import { sumOf, withinMinute, type Arrivals } from './arrivals'

export type Live =
  | { readonly is: 'connecting' }
  | { readonly is: 'on'; readonly lastMinute: number }
  | { readonly is: 'paused'; readonly fresh: number }
  /** in seconds; null: no reconnection */
  | { readonly is: 'lost'; readonly since: Date; readonly againIn: number | null }

/** How often the page is notified of visits at most, and how often the last minute is recounted, in milliseconds. */
const TOLD_MS = 10_000
const COUNTED_MS = 5_000

/**
 * Watches a link's visits while the page is visible. `onVisits` is called when there are new ones, at most every ten
 * seconds, and not while paused.
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
    /** `isFirst`: the time of these visits is unknown, because nobody was watching */
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
    const lose = (againIn: number | null) => {
      const now = live.peek()
      live.value = { is: 'lost', since: now.is === 'lost' ? now.since : new Date(), againIn }
    }
    const watch = (signal: AbortSignal) =>
      stayConnected((until) => api.watchLinkVisits(code, {}, { signal: until }), signal, {
        onEvent: ({ total }, isFirst) => count(total, isFirst),
        onLost: lose,
      })
    const counting = setInterval(() => {
      if (live.peek().is === 'on') show()
    }, COUNTED_MS)
    const end = whileVisible(watch, () => lose(null))
    return () => {
      end()
      clearInterval(counting)
      clearTimeout(telling)
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
