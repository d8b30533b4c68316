import { createClient } from 'linkgate/client'

import { refuse, token } from './session'

export { LinkgateProblem } from 'linkgate/client'
export type * from 'linkgate/client'

/** The console's only access to the service: the same client that other programs use. */
export const api = createClient({
  baseUrl: location.origin,
  token,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 401) refuse(new Headers(init?.headers).get('Authorization'))
    return response
  },
})
