import { expect } from 'chai'

import { fuzzOpenApi } from '../support/openapi-fuzz.js'

describe('fifty thousand requests out of /openapi.json, at and beyond every bound', () => {
  it('are all answered as it describes, none with a failure', async () => {
    const { faults, requests, neverServed } = await fuzzOpenApi(50_000, Date.now() % 1_000)
    expect(faults).to.deep.equal([])
    expect(requests).to.equal(50_000)
    // needs an invitation that only an e-mail or its answer names
    expect(neverServed).to.deep.equal(['post /invitations/:token/accept', 'delete /users/me/tokens/:id'])
  })
})
