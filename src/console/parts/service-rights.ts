import { signal } from '@preact/signals'

import type { ServiceAction } from '../../domain/action.js'
import { api } from '../api'
import { problemIn } from './loaded'
import { untilAnswered } from './reconnect'
import { reasonOf } from './rights'

type OwnRights = Awaited<ReturnType<typeof api.getOwnRights>>

/** The caller's general rights; null until they are known. The navigation loads them again with each page. */
const rights = signal<OwnRights['service'] | null>(null)

/** Loads the caller's general rights. If that fails, those that were loaded before stay. */
export const loadServiceRights = async (signal: AbortSignal): Promise<void> => {
  try {
    rights.value = (await untilAnswered(() => api.getOwnRights({ codes: [] }, { signal }), signal)).service
  } catch (error) {
    if (!signal.aborted) problemIn(error)
  }
}

/** Why an action is disabled; null if it is not, and while that is unknown. */
export const reasonFor = (action: ServiceAction): string | null => reasonOf(rights.value?.[action])

/** Why the caller can never do this; null as well if it depends on the record, such as whose it is. */
export const reasonForAny = (action: ServiceAction): string | null =>
  rights.value?.[action].layer === 'object' ? null : reasonFor(action)

/** True once the caller is known to have the right. */
export const may = (action: ServiceAction): boolean => rights.value?.[action].allowed === true
