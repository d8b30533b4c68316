import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import type { LogEntry, Page } from '../../api'
import { problemIn } from '../../parts/loaded'
import type { List } from '../../parts/pages'
import { pause } from '../../parts/pause'
import { countDownOrOnline, isFinal } from '../../parts/reconnect'
import { START, needsReload, receive, shown, type Tail } from './tail'

const ASKED_MS = 2_000

/** The start of the request id of each poll: reading the log is logged too, and no reader waits for their own lines. */
const OWN = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join('')
const isOwn = (requestId: string): boolean => requestId.startsWith(OWN)

const isRefused = (lost: Tail['lost']): boolean => lost?.againIn === null

/**
 * Adds the newest entries to a list while the page is visible and `mayAdd` allows it; other new entries wait for that
 * or for `show`. A final refusal pauses it. Restarts when `key` changes; null: no polling.
 */
export const useTail = (
  key: string | null,
  use: {
    readonly list: List<LogEntry>
    readonly load: (options: { readonly signal: AbortSignal; readonly requestId: string }) => Promise<Page<LogEntry>>
    readonly mayAdd: () => boolean
  },
): {
  readonly tail: Signal<Tail<LogEntry>>
  /** pauses or resumes new lines */
  readonly turn: () => void
  readonly show: () => void
} => {
  const tail = useSignal<Tail<LogEntry>>(START)
  const latest = useRef(use)
  latest.current = use

  const change = (by: Partial<Tail<LogEntry>>) => (tail.value = { ...tail.peek(), ...by })
  const show = () => {
    const { list } = latest.current
    const { waiting } = tail.peek()
    const isReloaded = needsReload(tail.peek(), list.state.peek().items.length)
    if (isReloaded) void list.again()
    else for (const entry of waiting) list.add(entry)
    tail.value = shown(tail.peek(), isReloaded)
  }
  const turn = () => {
    const { isPaused, lost } = tail.peek()
    // whoever goes on after a final refusal asks again
    change({ isPaused: !isPaused, lost: isRefused(lost) ? null : lost })
    if (isPaused) show()
  }

  useEffect(() => {
    tail.value = { ...START, isPaused: tail.peek().isPaused }
    if (key === null) return undefined
    const ended = new AbortController()
    const { signal } = ended
    let failed = 0
    const ask = async () => {
      try {
        const { data } = await latest.current.load({ signal, requestId: `${OWN}-${Date.now()}` })
        failed = 0
        const { list, mayAdd } = latest.current
        if (signal.aborted || list.state.peek().busy) return
        tail.value = receive(tail.peek(), data, list.state.peek(), isOwn)
        if (!tail.peek().isPaused && mayAdd()) show()
      } catch (error) {
        if (signal.aborted) return
        const { since } = tail.peek().lost ?? { since: new Date() }
        if (isFinal(problemIn(error))) return change({ isPaused: true, lost: { since, againIn: null } })
        await countDownOrOnline(failed, signal, (againIn) => change({ lost: { since, againIn } }))
        failed += 1
      }
    }
    const watch = async () => {
      while (!signal.aborted) {
        await pause(ASKED_MS, signal)
        // the list itself shows its errors
        const { busy, problem } = latest.current.list.state.peek()
        const isOff = document.hidden || busy || problem !== null || isRefused(tail.peek().lost)
        if (!signal.aborted && !isOff) await ask()
      }
    }
    void watch()
    return () => ended.abort()
  }, [key])

  return { tail, turn, show }
}
