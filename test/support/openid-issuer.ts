import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Provider, type JWK } from 'oidc-provider'

import { ACTIONS } from '../../src/domain/action.js'
import { textAt } from './json.js'
import { signRaw, type Part } from './raw-token.js'

export type Algorithm = 'RS256' | 'ES256'

/** A real OpenID Connect provider on loopback, whose keys can be exchanged and which can go away and come back. */
export interface OpenIdIssuer {
  readonly url: string
  readonly audience: string
  /** paths that it was asked for, in order */
  readonly asked: string[]
  /** an access token that the provider issued to a client; its subject is the client's name */
  accessToken(options?: {
    readonly subject?: string
    readonly alg?: Algorithm
    readonly audience?: string
    readonly scope?: string
  }): Promise<string>
  /** what the provider gives a browser to bring back, once a person has signed in: a code for the console's client */
  signInCode(options: {
    readonly subject?: string
    /** of PKCE: S256 of the verifier */
    readonly challenge: string
    readonly scope?: string
  }): Promise<string>
  /** an ID token that the provider issued, for the same audience */
  idToken(subject: string): Promise<string>
  /** exchanges all keys for new ones, under new names */
  rotate(): void
  /** signs whatever it is given as the provider would, under its present key of this algorithm */
  forge(alg: Algorithm, claims: Part, header?: Readonly<Record<string, unknown>>): string
  stop(): Promise<void>
  start(): Promise<void>
}

const AUDIENCE = 'https://links.example.com'
/** The public client that the console is, and where its people come back to. */
export const CONSOLE_CLIENT = { id: 'the-console', redirectUri: 'https://go.example.com/console/signed-in' } as const

const SUBJECTS = ['ada', 'bob', 'eve', 'newcomer', 'late'] as const

const newKeyPairs = (): Readonly<Record<Algorithm, KeyObject>> => ({
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
})

const toJwks = (pairs: Readonly<Record<Algorithm, KeyObject>>): Readonly<Record<Algorithm, JWK>> => ({
  RS256: {
    ...pairs.RS256.export({ format: 'jwk' }),
    kty: 'RSA',
    kid: randomBytes(4).toString('hex'),
    alg: 'RS256',
    use: 'sig',
  },
  ES256: {
    ...pairs.ES256.export({ format: 'jwk' }),
    kty: 'EC',
    kid: randomBytes(4).toString('hex'),
    alg: 'ES256',
    use: 'sig',
  },
})

const isAddressInfo = (address: ReturnType<Server['address']>): address is AddressInfo =>
  typeof address === 'object' && address !== null

const newProvider = (url: string, keys: Readonly<Record<Algorithm, JWK>>): Provider =>
  new Provider(url, {
    jwks: { keys: [keys.RS256, keys.ES256] },
    clients: [
      ...SUBJECTS.map((name) => ({
        client_id: name,
        client_secret: `secret of ${name}`,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      {
        client_id: CONSOLE_CLIENT.id,
        token_endpoint_auth_method: 'none' as const,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [CONSOLE_CLIENT.redirectUri],
        response_types: ['code' as const],
      },
    ],
    scopes: ['openid', 'offline_access', ...ACTIONS],
    ttl: { ClientCredentials: 600, IdToken: 600, Grant: 600, AccessToken: 600, RefreshToken: 600, Interaction: 600 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    // `urn:ES256:linkgate` is the service `linkgate`, which wants its tokens under ES256
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => {
          const [, alg, audience = resource] = /^urn:(RS256|ES256):(.+)$/.exec(resource) ?? []
          return {
            scope: ACTIONS.join(' '),
            audience: decodeURIComponent(audience),
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: alg === 'ES256' ? 'ES256' : 'RS256' } },
          }
        },
      },
    },
  })

/** Starts a provider on a free port of loopback. */
export const openIdIssuer = async (): Promise<OpenIdIssuer> => {
  const asked: string[] = []
  let handle: ReturnType<Provider['callback']> | undefined
  let server: Server | undefined
  const listen = async (port: number): Promise<number> => {
    const next = createServer((request, response) => {
      asked.push(request.url ?? '')
      void handle?.(request, response)
    })
    await new Promise<void>((resolve) => {
      next.listen(port, '127.0.0.1', resolve)
    })
    server = next
    const address = next.address()
    if (!isAddressInfo(address)) throw new Error('no address')
    return address.port
  }
  const port = await listen(0)
  const url = `http://127.0.0.1:${port}`
  let keyPairs = newKeyPairs()
  let keys = toJwks(keyPairs)
  let provider = newProvider(url, keys)
  handle = provider.callback()
  return {
    url,
    asked,
    audience: AUDIENCE,
    accessToken: async ({ subject = 'ada', alg = 'RS256', audience = AUDIENCE, scope = ACTIONS.join(' ') } = {}) => {
      const credentials = Buffer.from(`${subject}:${encodeURIComponent(`secret of ${subject}`)}`).toString('base64')
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${credentials}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          scope,
          resource: `urn:${alg}:${encodeURIComponent(audience)}`,
        }),
      })
      return textAt(await response.json(), 'access_token')
    },
    signInCode: async ({ subject = 'ada', challenge, scope = `openid offline_access ${ACTIONS.join(' ')}` }) => {
      const client = await provider.Client.find(CONSOLE_CLIENT.id)
      if (client === undefined) throw new Error('no client for the console')
      const grant = new provider.Grant({ accountId: subject, clientId: CONSOLE_CLIENT.id })
      grant.addOIDCScope('openid offline_access')
      grant.addResourceScope(AUDIENCE, ACTIONS.join(' '))
      const code = new provider.AuthorizationCode({
        client,
        accountId: subject,
        gty: 'authorization_code',
        grantId: await grant.save(),
        codeChallenge: challenge,
        codeChallengeMethod: 'S256',
        redirectUri: CONSOLE_CLIENT.redirectUri,
        resource: AUDIENCE,
        scope,
        authTime: Math.floor(Date.now() / 1_000),
      })
      return code.save()
    },
    idToken: async (subject) => {
      const client = await provider.Client.find(subject)
      if (client === undefined) throw new Error(`no client ${subject}`)
      const token = new provider.IdToken({ sub: subject }, { client })
      token.set('aud', AUDIENCE)
      token.set('jti', 'an-id-token')
      token.set('scope', ACTIONS.join(' '))
      return token.issue({ use: 'idtoken' })
    },
    rotate: () => {
      keyPairs = newKeyPairs()
      keys = toJwks(keyPairs)
      provider = newProvider(url, keys)
      handle = provider.callback()
    },
    forge: (alg, claims, header = {}) =>
      signRaw(keyPairs[alg], { alg, typ: 'at+jwt', kid: keys[alg].kid, ...header }, claims),
    stop: async () => {
      const stopping = server
      if (stopping === undefined) return
      server = undefined
      const closed = new Promise<void>((resolve) => {
        stopping.close(() => resolve())
      })
      stopping.closeAllConnections()
      await closed
    },
    start: async () => {
      await listen(port)
    },
  }
}
