import { signal } from '@preact/signals'
import { createClient } from 'linkgate/client'

import { refuse, token } from './session'

export { LinkgateProblem } from 'linkgate/client'
export type * from 'linkgate/client'

const OWN_PROFILE = '/users/me'

/** How many requests were refused (403). The user's role may have changed, so their profile is loaded again. */
export const refusals = signal(0)

/** The console's only access to the service: the same client that other programs use. */
export const api = createClient({
  baseUrl: location.origin,
  token,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 401) refuse(new Headers(init?.headers).get('Authorization'))
    // a refused profile must not be the reason to load it again
    if (response.status === 403 && new URL(response.url).pathname !== OWN_PROFILE) refusals.value += 1
    return response
  },
})
