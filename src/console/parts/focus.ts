import type { RefObject, TargetedFocusEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Gives the focus back, when a part closes, to the element that had it before; if that is gone, to the heading. */
export const useReturnedFocus = (): void =>
  useLayoutEffect(() => {
    const before = document.activeElement
    const giveBack = () => {
      const { activeElement, body } = document
      if (activeElement !== body) return
      if (before instanceof HTMLElement && before !== body && before.isConnected) before.focus()
      // the page stays scrolled where it is
      else document.querySelector('h1')?.focus({ preventScroll: true })
    }
    // once the part is gone: behind a modal dialog nothing takes the focus
    return () => queueMicrotask(giveBack)
  }, [])

/** For parts that appear by themselves: the focus that is within them when they are gone goes where it was before. */
export const useGivenBackFocus = <Left extends HTMLElement>(): RefObject<Left | null> => {
  const left = useRef<Left>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      if (left.current?.contains(document.activeElement) !== true) return
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected
      const next = isThere ? before : document.querySelector<HTMLElement>('h1')
      next?.focus({ preventScroll: true })
    }
  }, [])
  return left
}

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
export const useLeftFocus = <Left extends HTMLElement>(): RefObject<Left | null> => {
  const left = useRef<Left>(null)
  useLayoutEffect(
    () => () => {
      if (left.current?.contains(document.activeElement) === true) document.querySelector<HTMLElement>('h1')?.focus()
    },
    [],
  )
  return left
}

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
