import { signal } from '@preact/signals'

import { api } from './api'
import type { Profile } from './api'
import { problemIn } from './parts/loaded'

/** Who is signed in, as every page may want to know; null until it is loaded. */
export const me = signal<Profile | null>(null)

/** Where it cannot be loaded, pages do without a name. */
export const loadMe = async (): Promise<void> => {
  me.value = await api.getProfile().catch((error: unknown) => {
    problemIn(error)
    return null
  })
}
