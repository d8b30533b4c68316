import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import type { LogEntry, Page } from '../../api'
import { problemIn } from '../../parts/loaded'
import type { List } from '../../parts/pages'
import { countDown, pause } from '../../parts/pause'
import { isFinal } from '../../parts/stay-connected'
import type { Tail } from './tail'

/** How often a visible page polls for new entries, and the most it requests. */
const ASKED_MS = 2_000
export const ASKED_ENTRIES = 50
/**
 * How many entries a page holds. It may stay open for days, and each poll is an entry of its own; beyond this, the list
 * is reloaded, which leaves the newest, with the cursor of those before.
 */
const MOST_ENTRIES = 1_000

/** Forgets the first of a set or map, which is the oldest, beyond the most that a page holds. */
const forgetOldest = <Key>(all: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean }): void => {
  for (const key of all.keys()) {
    if (all.size <= MOST_ENTRIES) return
    all.delete(key)
  }
}

/** A unique request id: reading the log is logged too, and a reader should not wait for their own lines. */
const newRequestId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Adds the newest entries to a list while the page is visible and `mayAdd` allows it; other new entries wait for that
 * or for `show`. Restarts when `key` changes; null: no polling.
 */
export const useTail = (
  key: string | null,
  {
    list,
    load,
    mayAdd,
  }: {
    readonly list: List<LogEntry>
    readonly load: (options: { readonly signal: AbortSignal; readonly requestId: string }) => Promise<Page<LogEntry>>
    readonly mayAdd: () => boolean
  },
): {
  readonly tail: Signal<Tail>
  /** ids of the added entries */
  readonly added: Signal<ReadonlySet<string>>
  /** pauses or resumes new lines */
  readonly turn: () => void
  readonly show: () => void
} => {
  const tail = useSignal<Tail>({ is: 'on', fresh: 0 })
  const added = useSignal<ReadonlySet<string>>(new Set())
  const isPaused = useRef(false)
  const latest = useRef({ list, load, mayAdd })
  latest.current = { list, load, mayAdd }
  const waiting = useRef(new Map<string, LogEntry>())
  /** more new entries than one response or this page holds: the list is reloaded */
  const hasGap = useRef(false)
  const own = useRef(new Set<string>())

  const tell = () => {
    const fresh = [...waiting.current.values()].filter(({ request_id: id }) => !own.current.has(id)).length
    tail.value = { is: isPaused.current ? 'paused' : 'on', fresh }
  }
  const show = () => {
    const { list: shown } = latest.current
    const entries = [...waiting.current.values()]
    waiting.current.clear()
    if (hasGap.current || shown.state.peek().items.length + entries.length > MOST_ENTRIES) {
      added.value = new Set()
      void shown.again()
    } else {
      for (const entry of entries.toReversed()) shown.add(entry)
      added.value = new Set([...added.peek(), ...entries.map(({ id }) => id)])
    }
    hasGap.current = false
    tell()
  }
  const take = (entries: readonly LogEntry[]) => {
    const { items, next } = latest.current.list.state.peek()
    const shown = new Set(items.map(({ id }) => id))
    const oldest = items.reduce<bigint | null>((least, { id }) => {
      const each = BigInt(id)
      return least === null || each < least ? each : least
    }, null)
    const isNew = ({ id }: LogEntry) => !shown.has(id) && (next === null || oldest === null || BigInt(id) > oldest)
    const fresh = entries.filter(isNew)
    if (items.length > 0 && fresh.length === ASKED_ENTRIES) hasGap.current = true
    for (const entry of fresh) waiting.current.set(entry.id, entry)
    if (waiting.current.size > MOST_ENTRIES) {
      hasGap.current = true
      // the reader waits for others' entries, not for their own
      for (const [id, { request_id: request }] of waiting.current)
        if (own.current.has(request)) waiting.current.delete(id)
      forgetOldest(waiting.current)
    }
    if (!isPaused.current && latest.current.mayAdd()) show()
    else tell()
  }

  useEffect(() => {
    waiting.current.clear()
    hasGap.current = false
    added.value = new Set()
    if (key === null) return undefined
    const ended = new AbortController()
    const { signal } = ended
    let failed = 0
    const ask = async () => {
      const requestId = newRequestId()
      own.current.add(requestId)
      forgetOldest(own.current)
      try {
        const { data } = await latest.current.load({ signal, requestId })
        failed = 0
        if (!signal.aborted && !latest.current.list.state.peek().busy) take(data)
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(problemIn(error))) {
          tail.value = { is: 'lost', againIn: null }
          return ended.abort()
        }
        await countDown(failed, signal, (againIn) => (tail.value = { is: 'lost', againIn }))
        failed += 1
      }
    }
    const watch = async () => {
      tell()
      while (!signal.aborted) {
        await pause(ASKED_MS, signal)
        // the list itself shows its errors
        const { busy, problem } = latest.current.list.state.peek()
        if (!signal.aborted && !document.hidden && !busy && problem === null) await ask()
      }
    }
    void watch()
    return () => ended.abort()
  }, [key])

  const turn = () => {
    isPaused.current = !isPaused.current
    if (isPaused.current) tell()
    else show()
  }
  return { tail, added, turn, show }
}
