import { useEffect, useRef } from 'preact/hooks'

import { api, type PolicyPreview } from '../../api'
import { useLoaded, type Loaded } from '../../parts/loaded'
import { wait } from '../../parts/pause'
import type { changesIn } from './draft'

/** How long after the last key a preview is requested, in milliseconds. */
const STILL_MS = 350

type Changes = ReturnType<typeof changesIn>

/** The edit in the form of the service, without the draft's ids. */
export const bodyOf = ({ add, remove }: Changes) => ({
  add: add.map(({ row }) => row),
  remove: remove.map(({ row }) => row),
})

/**
 * Previews an edit while it is typed; an earlier request is aborted. A refused edit is previewed again when the user
 * returns to the page, because the reason may have been fixed elsewhere. `base`: the revision that the edit is based
 * on.
 */
export const usePreview = (changes: Changes, base: number): Loaded<PolicyPreview> => {
  const body = bodyOf(changes)
  const loaded = useLoaded(
    async (signal) => {
      await wait(STILL_MS, signal)
      return api.previewPolicyChange(body, { signal })
    },
    [JSON.stringify([base, body])],
  )
  const latest = useRef(loaded)
  latest.current = loaded
  useEffect(() => {
    const comeBack = () => {
      const { value, problem, again } = latest.current
      if (problem !== null || (value?.objections.length ?? 0) > 0) again()
    }
    addEventListener('focus', comeBack)
    return () => removeEventListener('focus', comeBack)
  }, [])
  // what is said of an earlier edit does not stay beside a refusal of this one
  return loaded.problem === null ? loaded : { ...loaded, value: null, at: null }
}
