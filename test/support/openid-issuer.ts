import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Provider } from 'oidc-provider'
import type { JWK } from 'oidc-provider'

import { ACTIONS } from '../../src/domain/action.js'
import { textAt } from './json.js'
import { signRaw } from './raw-token.js'
import type { Part } from './raw-token.js'

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
    clients: SUBJECTS.map((name) => ({
      client_id: name,
      client_secret: `secret of ${name}`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: [...ACTIONS],
    ttl: { ClientCredentials: 600, IdToken: 600 },
    // `urn:ES256:linkgate` is the service `linkgate`, which wants its tokens under ES256
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => {
          const [, alg, audience = ''] = /^urn:(RS256|ES256):(.+)$/.exec(resource) ?? []
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
