import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { stayConnected } from '../stay-connected'

/**
 * The revision in force, as long as the page is there; null until it is known, and for callers who may not read the
 * policy. A page shows an edit within a second.
 */
export const useRevisionInForce = (): Signal<number | null> => {
  const inForce = useSignal<number | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    // what the page asks for itself says what is wrong
    void stayConnected((signal) => api.watchPolicy({}, { signal }), ended.signal, {
      onEvent: ({ revision }) => (inForce.value = revision),
    })
    return () => ended.abort()
  }, [])
  return inForce
}
