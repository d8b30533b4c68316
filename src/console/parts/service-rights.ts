import type { ServiceAction } from '../../domain/action.js'
import { api } from '../api'
import { useLoaded } from './loaded'
import { reasonOf } from './rights'

type OwnRights = Awaited<ReturnType<typeof api.getOwnRights>>

let asked: Promise<OwnRights> | null = null
/** The parts of a page ask in the same tick, and share one request. */
const askOnce = (): Promise<OwnRights> => {
  if (asked === null) {
    asked = api.getOwnRights({ codes: [] })
    setTimeout(() => (asked = null))
  }
  return asked
}

/** The caller's general rights; reloaded when `keys` change. */
export const useServiceRights = (keys: readonly unknown[] = []) => {
  const { value } = useLoaded(askOnce, keys)
  return {
    /** why an action is disabled; null if it is not, and while that is unknown */
    reasonFor: (action: ServiceAction): string | null => reasonOf(value?.service[action]),
    /** true once the caller is known to have it */
    may: (action: ServiceAction): boolean => value?.service[action].allowed === true,
  }
}
