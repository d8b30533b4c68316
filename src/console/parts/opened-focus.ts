import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * For parts that open within a page: the first field gets the focus, and the previous element gets it back afterwards.
 */
export const useOpenedFocus = <Opened extends HTMLElement>() => {
  const opened = useRef<Opened>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    opened.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return opened
}
