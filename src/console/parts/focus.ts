import type { RefObject, TargetedFocusEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Gives the focus back to the element that had it before; if that is gone, to the heading. */
const focusAgain = (before: Element | null): void => {
  if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus()
  // the page stays scrolled where it is
  else document.querySelector('h1')?.focus({ preventScroll: true })
}

/** For parts that take the focus when they open: when they close, it goes back to where it was before. */
export const useReturnedFocus = (): void =>
  useLayoutEffect(() => {
    const before = document.activeElement
    const giveBack = () => {
      if (document.activeElement === document.body) focusAgain(before)
    }
    // once the part is gone: behind a modal dialog nothing takes the focus
    return () => queueMicrotask(giveBack)
  }, [])

/** Calls `leave` when a part disappears while the focus is within it, with the element that had the focus before. */
const useLeaving = <Left extends HTMLElement>(leave: (before: Element | null) => void): RefObject<Left | null> => {
  const left = useRef<Left>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      if (left.current?.contains(document.activeElement) === true) leave(before)
    }
  }, [])
  return left
}

/** For parts that appear and disappear by themselves: the focus within them goes back to where it was before. */
export const useGivenBackFocus = <Left extends HTMLElement>(): RefObject<Left | null> => useLeaving<Left>(focusAgain)

/**
 * For parts that open within a page: the first field gets the focus, and the previous element gets it back afterwards.
 */
export const useOpenedFocus = <Opened extends HTMLElement>() => {
  const opened = useRef<Opened>(null)
  useReturnedFocus()
  useLayoutEffect(() => opened.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  return opened
}

/** For parts that disappear when their work is done: the page's heading gets the focus that was within them. */
export const useLeftFocus = <Left extends HTMLElement>(): RefObject<Left | null> =>
  useLeaving<Left>(() => document.querySelector('h1')?.focus())

/**
 * Keeps the focus in a list whose focused control disappears, as after a deletion: the nearest item that is or has a
 * link, a button or a text that can be focused gets it, or the page's heading if there is none. Spread the result on
 * the element that has the items as children.
 */
export const useKeptFocus = <List extends HTMLElement>(): {
  readonly ref: RefObject<List | null>
  readonly onFocusIn: (event: TargetedFocusEvent<List>) => void
} => {
  const ref = useRef<List>(null)
  const last = useRef<{ readonly control: Element; readonly place: number } | null>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    // a dialog gives the focus back when it closes
    if (last.current === null || last.current.control.isConnected || activeElement?.closest('dialog')) return
    const { place } = last.current
    last.current = null
    // the user has gone on
    if (activeElement !== document.body) return
    const items = [...(ref.current?.children ?? [])]
    const nearest = [...items.slice(place), ...items.slice(0, place).toReversed()]
    const controls = nearest.flatMap((item) => [item, ...item.querySelectorAll('*')])
    const next = controls.find((control) => control.matches('a, button, [tabindex]')) ?? document.querySelector('h1')
    if (next instanceof HTMLElement) next.focus()
  })
  return {
    ref,
    onFocusIn: ({ target, currentTarget }) => {
      if (!(target instanceof Element)) return
      last.current = { control: target, place: [...currentTarget.children].findIndex((item) => item.contains(target)) }
    },
  }
}
