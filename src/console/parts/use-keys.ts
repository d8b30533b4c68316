import { useLayoutEffect, useRef } from 'preact/hooks'

import { stored } from './stored'

/** True if single-letter keys are switched off in Settings. */
const areOff = (): boolean => stored('keys') === 'off'

/** True if a key writes, or chooses a value, where it is pressed. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, dialog *')

/**
 * The keys of a page and their actions. They work while nobody types, and not in dialogs; `Escape` works even if
 * single-letter keys are switched off.
 */
export const useKeys = (keys: Readonly<Record<string, (event: KeyboardEvent) => unknown>>): void => {
  const latest = useRef(keys)
  latest.current = keys
  // not an effect after painting: keys may be pressed as soon as the page is visible
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const act = latest.current[event.key]
      if (act === undefined || (event.key !== 'Escape' && areOff())) return
      event.preventDefault()
      void act(event)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
