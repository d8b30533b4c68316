import { expect } from 'chai'

import { fuzzOpenApi } from '../support/openapi-fuzz.js'

/** What these ask for is a secret, or names something that nobody made: nothing that is made up gets it. */
const UNGUESSABLE = new Set([
  'post /links/:code/transfer',
  'post /users/:id/links/transfer',
  'post /links/:id/restore',
  'post /:code',
  'get /invitations/:token/accept',
  'post /invitations/:token/accept',
  'post /auth/token',
  'post /auth/session',
  'post /auth/session/refresh',
  'get /auth/email/confirm',
  'post /auth/email/confirm',
  'post /auth/password/forgot',
  'get /auth/password/reset',
  'post /auth/password/reset',
  'delete /users/me/sign-ins/:id',
  'get /audit/requests/:request_id',
  'get /policy/proposals/:id',
  'post /policy/proposals/:id/approve',
  'post /policy/proposals/:id/decline',
  'delete /policy/proposals/:id',
  'get /docs/:page',
  'get /console/assets/:file',
])

describe('fifty thousand requests out of /openapi.json, at and beyond every bound', () => {
  it('are all answered as it describes, none with a failure', async () => {
    const { faults, requests, neverServed } = await fuzzOpenApi(50_000, Date.now() % 1_000)
    expect(faults).to.deep.equal([])
    expect(requests).to.equal(50_000)
    expect(neverServed.filter((name) => !UNGUESSABLE.has(name))).to.deep.equal([])
  })
})
