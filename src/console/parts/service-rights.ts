import type { ServiceAction } from '../../domain/action.js'
import { api } from '../api'
import { useLoaded } from './loaded'
import { reasonOf } from './rights'

const useOwnRights = (keys: readonly unknown[]) =>
  useLoaded((signal) => api.getOwnRights({ codes: [] }, { signal }), keys).state

/** Asks what the caller may do at all. Answers why an action is off; null where it is on, and while nobody knows. */
export const useServiceRights = (): ((action: ServiceAction) => string | null) => {
  const state = useOwnRights([])
  return (action) => reasonOf(state.value.value?.service[action])
}

/** What the caller may do for certain; asked again where `keys` change. */
export const useAllowed = (keys: readonly unknown[] = []): ((action: ServiceAction) => boolean) => {
  const state = useOwnRights(keys)
  return (action) => state.value.value?.service[action].allowed === true
}
