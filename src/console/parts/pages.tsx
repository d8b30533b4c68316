import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'

import type { LinkgateProblem, Page } from '../api'
import { t } from '../language/language'
import { Button } from './button'
import { BusyBar } from './busy-bar'
import { useKeptFocus } from './focus'
import { joined, replaced } from './joined'
import { LoadProblem } from './load-problem'
import { problemIn, stillLost } from './loaded'
import { undone } from './toast'

interface Part<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
  /** the total of all pages; undefined if it was not requested */
  readonly count: number | undefined
  readonly busy: boolean
  readonly problem: LinkgateProblem | null
  /** of the last request; undefined: it asked for the first page */
  readonly cursor: string | undefined
  /** when the items were loaded, the latest of them */
  readonly at: Date | null
}

export interface List<Item> {
  readonly state: Signal<Part<Item>>
  readonly more: () => Promise<void>
  /** reloads from the beginning; the current items stay visible until then */
  readonly again: () => Promise<void>
  /** repeats the last request, which failed */
  readonly retry: () => Promise<void>
  readonly add: (item: Item) => void
  /** newer versions of items, in their places; those that are not in the list are ignored */
  readonly put: (items: readonly Item[]) => void
  readonly remove: (isIt: (item: Item) => boolean) => void
}

type Change<Item> = (items: readonly Item[]) => readonly Item[]
/** `from`: the part of the query that asks for another page than the first */
type LoadPage<Item> = (
  from: { readonly cursor?: string },
  options: { readonly signal: AbortSignal },
) => Promise<Page<Item>>

const NOTHING = { items: [], next: null, count: undefined, busy: true, problem: null, cursor: undefined, at: null }

/** A list that is loaded page by page, and reloaded when one of `keys` changes, or something is undone. */
export const usePages = <Item extends object>(load: LoadPage<Item>, keys: readonly unknown[] = []): List<Item> => {
  const state = useSignal<Part<Item>>(NOTHING)
  const running = useRef<AbortController | null>(null)
  /** changes made while a request is running: its response may not have them yet */
  const lateChanges = useRef<Change<Item>[]>([])
  // an earlier list object loads its next page with the current keys
  const latest = useRef(load)
  latest.current = load

  const ask = async (cursor: string | undefined) => {
    running.current?.abort()
    const { signal } = (running.current = new AbortController())
    lateChanges.current = []
    state.value = { ...state.peek(), busy: true, problem: stillLost(state.peek().problem), cursor }
    try {
      const {
        data,
        next_cursor: next,
        count,
      } = await latest.current(cursor === undefined ? {} : { cursor }, { signal })
      if (signal.aborted) return
      const { items, count: known } = state.peek()
      const done = { busy: false, problem: null, cursor, at: new Date() }
      state.value =
        cursor === undefined
          ? { items: data, next, count, ...done }
          : { items: joined(items, data), next, count: known, ...done }
      for (const by of lateChanges.current) change(by)
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.peek(), busy: false, problem: problemIn(error) }
    }
  }
  useEffect(() => {
    void ask(undefined)
    return () => running.current?.abort()
  }, [...keys, undone.value])

  const change = (by: Change<Item>) => {
    const { busy, count, items: before } = state.peek()
    if (busy) lateChanges.current.push(by)
    const items = by(before)
    const counted = count === undefined ? undefined : count + items.length - before.length
    state.value = { ...state.peek(), items, count: counted }
  }
  return {
    state,
    more: async () => {
      const { next, busy } = state.peek()
      if (next !== null && !busy) await ask(next)
    },
    again: () => ask(undefined),
    retry: () => ask(state.peek().cursor),
    add: (item) => change((items) => joined([item], items)),
    put: (items) => change((before) => replaced(before, items)),
    remove: (isIt) => change((items) => items.filter((item) => !isIt(item))),
  }
}

/** A list in a card: why it could not be loaded, its items, and how many they are. */
export const Listed = <Item,>({
  list,
  empty,
  words = t.shown,
  isLast = true,
  foot,
  children,
}: {
  readonly list: List<Item>
  readonly empty: ComponentChildren
  /** words for the shown number and the total */
  readonly words?: (shown: number, all: number | undefined) => string
  /** the rest loads on scrolling, unless something follows: nobody would reach that */
  readonly isLast?: boolean
  readonly foot?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const { items, next, count, busy, problem, cursor, at } = list.state.value
  /** how many a search has found; loading more of them, or changing one, is no news */
  const found = useMemo(() => (cursor === undefined ? words(count ?? items.length, undefined) : ''), [at])
  // once all is loaded, the button for more is gone
  const keptFocus = useKeptFocus<HTMLDivElement>()
  const canLoad = next !== null && problem === null
  useEffect(() => {
    const { current } = keptFocus.ref
    if (current === null || !canLoad || !isLast) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void list.more()
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [canLoad, isLast, items.length])
  const failed = <LoadProblem of={{ problem, at: items.length > 0 ? at : null, again: list.retry }} />
  return (
    <>
      {cursor === undefined && failed}
      {items.length > 0 && children}
      {/* whoever asked for a further page looks at the end */}
      {cursor !== undefined && failed}
      {busy && <BusyBar />}
      {/* screen readers announce only text that appears in a region which was there before */}
      <div role="status">
        {items.length === 0 && !busy && problem === null && <div class="empty">{empty}</div>}
        {items.length > 0 && !busy && found !== '' && <span class="unseen">{t.found(found)}</span>}
      </div>
      <div class="list-foot" {...keptFocus}>
        {items.length > 0 && <span tabIndex={-1}>{words(items.length, count)}</span>}
        {canLoad && (
          <Button kind="bare" onPress={list.more} busy={busy}>
            {t.links.loadMore}
          </Button>
        )}
        {foot}
      </div>
    </>
  )
}
