import { join } from 'node:path'

import { expect } from 'chai'
import { createLocalJWKSet, jwtVerify } from 'jose'

import { createIssuer, type Issuer } from '../../src/identity/issuer.js'
import { loadOrMakeSigningKey } from '../../src/identity/signing-key.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('the own issuer', () => {
  let issuer: Issuer
  before(async () => {
    issuer = createIssuer(await loadOrMakeSigningKey(join(await makeTemporaryFolder(), 'key.pem')))
  })

  it('signs access tokens of RFC 9068 that its published keys verify', async () => {
    const { token } = await issuer.sign({
      subject: '7',
      scope: 'link:read',
      ttlSeconds: 900,
    })
    const { payload, protectedHeader } = await jwtVerify(
      token,
      createLocalJWKSet({ keys: issuer.jwks().keys.map((jwk) => ({ ...jwk })) }),
      {
        issuer: issuer.name,
        audience: 'linkgate',
        typ: 'at+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'scope', 'client_id'],
      },
    )
    expect(protectedHeader).to.deep.equal({ alg: 'ES256', typ: 'at+jwt', kid: issuer.jwks().keys[0]?.kid })
    expect(payload).to.include({ sub: '7', scope: 'link:read', client_id: 'linkgate' })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(900)
  })

  it('gives every token an id of its own', async () => {
    const grant = { subject: '7', scope: '', ttlSeconds: 1 }
    const tokens = await Promise.all(Array.from({ length: 50 }, () => issuer.sign(grant)))
    expect(new Set(tokens.map(({ token }) => token.split('.')[1])).size).to.equal(50)
  })

  for (const ttlSeconds of [0, -1, 1.5, 86_401, Infinity, NaN]) {
    it(`signs nothing for a life of ${ttlSeconds} seconds`, async () => {
      expect(
        await issuer.sign({ subject: '7', scope: '', ttlSeconds }).catch((error: unknown) => error),
      ).to.be.instanceOf(RangeError)
    })
  }

  it('publishes no private member', () => {
    expect(JSON.stringify(issuer.jwks())).to.not.include('"d"')
  })
})
