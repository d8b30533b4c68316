import type { ServiceAction } from '../../domain/action.js'
import { api } from '../api'
import { useLoaded } from './loaded'
import { reasonOf } from './rights'

type OwnRights = Awaited<ReturnType<typeof api.getOwnRights>>

let asked: Promise<OwnRights> | null = null
/** The parts of a page ask in the same turn of the event loop, and share one answer. */
const askOnce = (): Promise<OwnRights> => {
  if (asked === null) {
    asked = api.getOwnRights({ codes: [] })
    setTimeout(() => (asked = null))
  }
  return asked
}

const useOwnRights = (keys: readonly unknown[]) => useLoaded(askOnce, keys).state

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
