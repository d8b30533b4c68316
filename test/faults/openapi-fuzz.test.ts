import { expect } from 'chai'

import { fuzzOpenApi } from '../support/openapi-fuzz.js'

/** What these ask for is a secret, or names something that nobody made: nothing that is made up gets it. */
const UNGUESSABLE = [
  'get /invitations/:token/accept',
  'post /invitations/:token/accept',
  'post /auth/token',
  'delete /users/me/sign-ins/:id',
  'post /auth/session',
  'post /auth/session/refresh',
  'get /auth/email/confirm',
  'post /auth/email/confirm',
  'post /auth/password/forgot',
  'get /auth/password/reset',
  'post /auth/password/reset',
  'get /audit/requests/:request_id',
  'get /policy/proposals/:id',
  'post /policy/proposals/:id/approve',
  'post /policy/proposals/:id/decline',
  'delete /policy/proposals/:id',
  'get /docs/:page',
  'get /console/assets/:file',
  'post /:code',
]

/** These name a user or a deleted link by its number, which is guessed in some runs. */
const SELDOM = new Set(['post /links/:code/transfer', 'post /users/:id/links/transfer', 'post /links/:id/restore'])

describe('fifty thousand requests out of /openapi.json, at and beyond every bound', () => {
  it('are all answered as it describes, none with a failure', async () => {
    const seed = Date.now() % 1_000
    const { faults, requests, neverServed } = await fuzzOpenApi(50_000, seed)
    expect(faults, `seed ${seed}`).to.deep.equal([])
    expect(requests).to.equal(50_000)
    expect(
      neverServed.filter((name) => !SELDOM.has(name)),
      `seed ${seed}`,
    ).to.deep.equal(UNGUESSABLE)
  })
})
