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

/**
 * Loads the caller's general rights. Returns why an action is disabled; null if it is not, and while that is unknown.
 */
export const useServiceRights = (): ((action: ServiceAction) => string | null) => {
  const { value } = useLoaded(askOnce, [])
  return (action) => reasonOf(value?.service[action])
}

/** Actions that the caller is known to have; reloaded when `keys` change. */
export const useAllowed = (keys: readonly unknown[] = []): ((action: ServiceAction) => boolean) => {
  const { value } = useLoaded(askOnce, keys)
  return (action) => value?.service[action].allowed === true
}
