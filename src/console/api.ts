import { signal } from '@preact/signals'
import { createClient } from 'linkgate/client'

import { refuse, token } from './session'

export { LinkgateProblem } from 'linkgate/client'
export type * from 'linkgate/client'

const OWN_PROFILE = '/users/me'

/** The number of requests that were refused: the user's role may be another since it was loaded. */
export const refusals = signal(0)

/** The console's only access to the service: the same client that other programs use. */
export const api = createClient({
  baseUrl: location.origin,
  token,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 401) refuse(new Headers(init?.headers).get('Authorization'))
    // whoever may not read their profile would ask for it again and again
    if (response.status === 403 && new URL(response.url).pathname !== OWN_PROFILE) refusals.value += 1
    return response
  },
})
