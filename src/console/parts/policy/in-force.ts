import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { stayConnected } from '../stay-connected'
import { whileVisible } from '../while-visible'

/**
 * The revision in force while the page is visible; null until known, and for callers who may not read the policy. Edits
 * show within a second.
 */
export const useRevisionInForce = (): Signal<number | null> => {
  const inForce = useSignal<number | null>(null)
  useEffect(() => {
    // the page's own requests show what is wrong
    const watch = (visible: AbortSignal) =>
      stayConnected((signal) => api.watchPolicy({}, { signal }), visible, {
        onEvent: ({ revision }) => (inForce.value = revision),
      })
    return whileVisible(watch)
  }, [])
  return inForce
}
