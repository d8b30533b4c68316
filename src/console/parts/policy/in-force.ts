import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { problemIn } from '../loaded'
import { waitBefore } from '../visits/arrivals'

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * The revision in force, as long as the page is there; null until it is known, and for callers who may not read the
 * policy. A page shows an edit within a second.
 */
export const useRevisionInForce = (): Signal<number | null> => {
  const inForce = useSignal<number | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const watch = async () => {
      for (let attempt = 0; !signal.aborted; attempt += 1) {
        try {
          for await (const { revision } of api.watchPolicy({}, { signal })) {
            inForce.value = revision
            attempt = 0
          }
        } catch (error) {
          if (signal.aborted) return
          // what the page asks for itself says what is wrong
          if (problemIn(error).status === 403) return
        }
        await pause(waitBefore(attempt) * 1_000, signal)
      }
    }
    void watch()
    return () => ended.abort()
  }, [])
  return inForce
}
