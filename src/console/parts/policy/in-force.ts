import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { stayConnected } from '../stay-connected'

/**
 * The revision in force while the page is mounted; null until known, and for callers who may not read the policy. Edits
 * show within a second.
 */
export const useRevisionInForce = (): Signal<number | null> => {
  const inForce = useSignal<number | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    // the page's own requests show what is wrong
    void stayConnected((signal) => api.watchPolicy({}, { signal }), ended.signal, {
      onEvent: ({ revision }) => (inForce.value = revision),
    })
    return () => ended.abort()
  }, [])
  return inForce
}
