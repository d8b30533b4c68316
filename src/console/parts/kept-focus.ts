import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RefObject, TargetedFocusEvent } from 'preact'

/**
 * Keeps the focus in a list whose focused control disappears, as after a deletion: the nearest item that is or has a
 * link or a button gets it, or the page's heading if there is none. Spread the result on the element that has the items
 * as children.
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
    const next = controls.find((control) => control.matches('a, button')) ?? document.querySelector('h1')
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
