import { signal } from '@preact/signals'

import { api } from './api'
import type { Profile } from './api'
import { problemIn } from './parts/loaded'

/** The signed-in user, for every page; null until loaded. */
export const me = signal<Profile | null>(null)

/** If it cannot be loaded, pages do without a name. */
export const loadMe = async (): Promise<void> => {
  me.value = await api.getProfile().catch((error: unknown) => {
    problemIn(error)
    return null
  })
}
