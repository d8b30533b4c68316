import { signal } from '@preact/signals'

import { api } from './api'
import type { Profile } from './api'

/** Who is signed in, as every page may want to know; null until it is loaded. */
export const me = signal<Profile | null>(null)

export const loadMe = async (): Promise<void> => {
  me.value = await api.getProfile()
}
