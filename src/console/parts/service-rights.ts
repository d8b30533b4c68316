import type { ServiceAction } from '../../domain/action.js'
import { api } from '../api'
import { useLoaded } from './loaded'
import { reasonOf } from './rights'

/** Asks what the caller may do at all. Answers why an action is off; null where it is on, and while nobody knows. */
export const useServiceRights = (): ((action: ServiceAction) => string | null) => {
  const { state } = useLoaded((signal) => api.getOwnRights({ codes: [] }, { signal }), [])
  return (action) => reasonOf(state.value.value?.service[action])
}
