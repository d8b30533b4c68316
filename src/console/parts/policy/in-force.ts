import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { api } from '../../api'
import { problemIn } from '../loaded'

/** How often a page that is seen asks which revision is in force, in milliseconds. */
const ASKED_MS = 900
/** After a refusal, where the service names no time. */
const REFUSED_MS = 5_000

/** The revision in force, as long as the page is seen; null until it is known. A page shows an edit within a second. */
export const useRevisionInForce = (): Signal<number | null> => {
  const revision = useSignal<number | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      let wait = ASKED_MS
      if (document.visibilityState === 'visible') {
        try {
          revision.value = (await api.getOwnRights({ codes: [] }, { signal: ended.signal })).revision
        } catch (error) {
          // what the page asks for itself says what is wrong
          if (ended.signal.aborted) return
          wait = (problemIn(error).retryAfter ?? 0) * 1_000 || REFUSED_MS
        }
      }
      if (!ended.signal.aborted) timer = setTimeout(() => void ask(), wait)
    }
    void ask()
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [])
  return revision
}
