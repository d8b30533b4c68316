import { useSignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

import type { Seen } from './columns'

/** The steps of scrolling, in pixels: rendering changes only once per step. */
const STEP = 400

/** The visible range of a horizontally scrolling element; `scale` pixels of the screen are one. */
export const useSeen = (frame: RefObject<HTMLElement | null>, scale: number): Signal<Seen> => {
  const seen = useSignal<Seen>({ from: 0, to: 1_400 })
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    const look = () => {
      const from = Math.floor(current.scrollLeft / scale / STEP) * STEP
      const to = from + Math.ceil(current.clientWidth / scale / STEP + 1) * STEP
      const before = seen.peek()
      if (before.from !== from || before.to !== to) seen.value = { from, to }
    }
    const observer = new ResizeObserver(look)
    observer.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [])
  return seen
}
