import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Gives the focus back, when a part closes, to the element that had it before. */
export const useReturnedFocus = (): void =>
  useLayoutEffect(() => {
    const before = document.activeElement
    const giveBack = () => {
      const isLost = document.activeElement === document.body
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus()
    }
    // once the part is gone: behind a modal dialog nothing takes the focus
    return () => queueMicrotask(giveBack)
  }, [])

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
