// An OpenID Connect issuer to try Linkgate with, on this machine alone: `node docs/examples/openid-issuer.js`.
// It knows one client, `ada`, and forgets everything when it ends. Not for use: its secrets are in this file.
import { generateKeyPairSync } from 'node:crypto'

import { Provider } from 'oidc-provider'

const ISSUER = 'http://127.0.0.1:4000'
const LINKGATE = 'http://127.0.0.1:3000'
const SCOPES = 'link:read link:create link:update link:delete profile:read'

const key = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }

const provider = new Provider(ISSUER, {
  jwks: { keys: [key] },
  clients: [{ client_id: 'ada', client_secret: 'only-for-trying', grant_types: ['client_credentials'], redirect_uris: [], response_types: [], id_token_signed_response_alg: 'ES256' }],
  scopes: SCOPES.split(' '),
  ttl: { ClientCredentials: 600 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    // A token for a resource (RFC 8707) is a JWT of RFC 9068 whose audience is that resource; any other is opaque.
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: SCOPES, audience: LINKGATE, accessTokenFormat: 'jwt', accessTokenTTL: 600, jwt: { sign: { alg: 'ES256' } } }),
    },
  },
})

provider.listen(4000, '127.0.0.1', () => process.stdout.write(`issuer on ${ISSUER}\n`))
