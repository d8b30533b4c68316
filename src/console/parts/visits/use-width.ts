import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** The width of an element in pixels while it is mounted; 0 before that. */
export const useWidth = (element: RefObject<HTMLElement | null>): number => {
  const width = useSignal(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    width.value = Math.floor(current.getBoundingClientRect().width)
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) width.value = Math.floor(entry.contentRect.width)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width.value
}
