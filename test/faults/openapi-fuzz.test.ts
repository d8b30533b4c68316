import { expect } from 'chai'

import { fuzzOpenApi } from '../support/openapi-fuzz.js'

describe('fifty thousand requests out of /openapi.json, at and beyond every bound', () => {
  it('are all answered as it describes, none with a failure', async () => {
    const { faults, requests, neverServed } = await fuzzOpenApi(50_000, Date.now() % 1_000)
    expect(faults).to.deep.equal([])
    expect(requests).to.equal(50_000)
    // what these ask for is a secret, or the id of a request that was recorded: nothing that is made up gets it
    expect(neverServed).to.deep.equal([
      'post /invitations/:token/accept',
      'post /auth/token',
      'get /audit/requests/:request_id',
    ])
  })
})
