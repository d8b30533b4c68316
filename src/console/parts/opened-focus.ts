import { useLayoutEffect, useRef } from 'preact/hooks'

/** For what opens within a page: its first field gets the focus, and what had it before gets it back at the end. */
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
