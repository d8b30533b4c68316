import { signal } from '@preact/signals'

import { api, type LinkgateProblem, type Profile } from './api'
import { problemIn, stillLost } from './parts/loaded'

/** The signed-in user, for every page; null until loaded. */
export const me = signal<Profile | null>(null)
/** Why it could not be loaded the last time; null while it loads, unless the connection is lost. */
export const meProblem = signal<LinkgateProblem | null>(null)

/** If it cannot be loaded, the last one stays, and pages do without a name where there is none. */
export const loadMe = async (): Promise<void> => {
  meProblem.value = stillLost(meProblem.value)
  try {
    me.value = await api.getProfile()
    meProblem.value = null
  } catch (error) {
    meProblem.value = problemIn(error)
  }
}
