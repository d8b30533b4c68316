import { LRUCache } from 'lru-cache'
import { z } from 'zod'

import { ACTIONS } from '../domain/action.js'
import { parseUrl } from '../domain/url.js'
import { Refusal } from '../domain/refusal.js'
import { discoverSignIn, postForm, readDocument, type SignInEndpoints } from './issuer-documents.js'
import { hashOfToken } from './opaque-token.js'
import type { SignedIn } from './sign-in.js'

/** less than a request's deadline */
const TIMEOUT_MS = 3_000
const FRESH_MS = 10 * 60_000
/** an issuer that could not be reached is not asked again for this long: pages would wait for it each time */
const AWAY_MS = 5_000
/** tabs that renew within this time share one renewal: an issuer accepts a refresh token only once */
const SHARED_MS = 10_000
/** of the cookie; the issuer ends the session earlier by refusing to renew it */
const KEPT_MS = 30 * 86_400_000
const LONGEST_SECONDS = 86_400
/** assumed lifetime of an access token, if its issuer does not say */
const USUAL_SECONDS = 60

/** A success of the token endpoint (RFC 6749 §5.1). */
const Tokens = z.object({
  access_token: z.string().min(1).max(8_000),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().min(1).default(USUAL_SECONDS),
  refresh_token: z.string().min(1).optional(),
  scope: z.string().max(2_000).optional(),
})
const Refused = z.object({ error: z.string() })

/** A sign-in at an issuer; `refreshToken` is null if the issuer gives none. */
export type IssuedSession = Omit<SignedIn, 'refreshToken'> & { readonly refreshToken: string | null }

/** A renewal that several tabs share, stored under the key of the refresh token that it spends. */
interface Renewal {
  readonly session: Promise<IssuedSession>
  /** the key of the refresh token that it returned; null until known */
  given: string | null
}

const keyOf = (token: string): string => hashOfToken(token).toString('base64')

export interface IssuedCode {
  readonly code: string
  /** of PKCE (RFC 7636) */
  readonly code_verifier: string
}

/**
 * Browser sign-ins at an external issuer: authorization code with PKCE, as a public client. The issuer decides how long
 * they last. Every method rejects with `issuer_unavailable` (503) if the issuer is away or refuses this service, and
 * passes the reason to `onFault`.
 */
export const createIssuerSession = ({
  issuer,
  audience,
  clientId,
  onFault,
  now = () => performance.now(),
}: {
  readonly issuer: string
  readonly audience: string
  readonly clientId: string
  readonly onFault: (error: unknown) => void
  /** a monotonic clock, in milliseconds */
  readonly now?: () => number
}) => {
  const unavailable = (error: unknown): Refusal => {
    onFault(error)
    return new Refusal('issuer_unavailable', { headers: { 'Retry-After': `${AWAY_MS / 1_000}` }, cause: error })
  }

  let discovery: { readonly endpoints: Promise<SignInEndpoints>; until: number } | undefined
  /** One discovery at a time, shared by everyone who waits for it. A failure counts for a while, too. */
  const findEndpoints = (): Promise<SignInEndpoints> => {
    if (discovery !== undefined && now() < discovery.until) return discovery.endpoints
    const endpoints = discoverSignIn(issuer, readDocument, AbortSignal.timeout(TIMEOUT_MS)).catch((error: unknown) => {
      throw unavailable(error)
    })
    const started = { endpoints, until: now() + FRESH_MS }
    endpoints.catch(() => (started.until = now() + AWAY_MS))
    discovery = started
    return endpoints
  }

  const post = async (url: string, form: Readonly<Record<string, string>>) =>
    postForm(url, { ...form, client_id: clientId }, AbortSignal.timeout(TIMEOUT_MS)).catch((error: unknown) => {
      throw unavailable(error)
    })

  // RFC 8707: asks an issuer that serves several services for a token for this one
  const resource = parseUrl(audience) !== null ? { resource: audience } : {}

  const trade = async (form: Readonly<Record<string, string>>, held: string | null): Promise<IssuedSession> => {
    const { token_endpoint: url } = await findEndpoints()
    const { status, document } = await post(url, { ...form, ...resource })
    const { data: refused } = Refused.safeParse(document)
    if (refused?.error === 'invalid_grant')
      throw new Refusal('invalid_grant', { detail: 'The credentials are not valid.' })
    const { data: tokens } = Tokens.safeParse(document)
    if (status !== 200 || tokens === undefined)
      throw unavailable(new Error(`${url} answered ${status} ${refused?.error ?? 'and no tokens'}`))
    const { access_token, expires_in, refresh_token: refreshToken = held, scope = ACTIONS.join(' ') } = tokens
    return {
      access: {
        access_token,
        token_type: 'Bearer',
        expires_in: Math.min(Math.floor(expires_in), LONGEST_SECONDS),
        scope,
      },
      refreshToken,
      endsAt: new Date(Date.now() + KEPT_MS),
    }
  }

  const renewals = new LRUCache<string, Renewal>({ max: 1_000, ttl: SHARED_MS })
  const forget = (key: string): void => {
    for (const [taken, { given }] of renewals) if (taken === key || given === key) renewals.delete(taken)
  }

  return {
    /**
     * Where a page sends people to sign in, after adding `state` and `code_challenge`. The issuer sends them back to
     * `redirectUriOf(baseUrl)` with `code` and `state`.
     */
    authorizationUrl: async (baseUrl: string): Promise<string> => {
      const { authorization_endpoint: endpoint, scopes_supported: scopes } = await findEndpoints()
      const url = new URL(endpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUriOf(baseUrl),
        // many issuers give a refresh token only for this scope; others would refuse the scope
        scope: ['openid', ...ACTIONS, ...scopes.filter((each) => each === 'offline_access')].join(' '),
        code_challenge_method: 'S256',
        ...resource,
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },

    /** Exchanges a code. Throws `invalid_grant` (400) if the issuer does not accept it. */
    begin: ({ code, code_verifier }: IssuedCode, baseUrl: string): Promise<IssuedSession> =>
      trade({ grant_type: 'authorization_code', code, code_verifier, redirect_uri: redirectUriOf(baseUrl) }, null),

    /** Exchanges a refresh token. Throws `invalid_grant` (400) if the session has ended. */
    refresh: (token: string): Promise<IssuedSession> => {
      const key = keyOf(token)
      const shared = renewals.get(key)
      if (shared !== undefined) return shared.session
      const session = trade({ grant_type: 'refresh_token', refresh_token: token }, token)
      const renewal: Renewal = { session, given: null }
      renewals.set(key, renewal)
      session.then(
        ({ refreshToken }) => (renewal.given = refreshToken && keyOf(refreshToken)),
        () => renewals.delete(key),
      )
      return session
    },

    /**
     * Ends a session, if the issuer has a revocation endpoint (RFC 7009). Access tokens stay valid until they expire. A
     * renewal that another tab has begun is awaited, and what it gave is revoked: it would outlive the sign-out.
     */
    end: async (given: string): Promise<void> => {
      const key = keyOf(given)
      const renewed = await renewals.get(key)?.session.catch(() => undefined)
      const token = renewed?.refreshToken ?? given
      forget(key)
      const { revocation_endpoint: url } = await findEndpoints()
      if (url === undefined) return
      const { status } = await post(url, { token, token_type_hint: 'refresh_token' })
      if (status !== 200) throw unavailable(new Error(`${url} answered ${status}`))
    },
  }
}

export type IssuerSession = ReturnType<typeof createIssuerSession>

/** Where an issuer sends people back after they signed in. */
const redirectUriOf = (baseUrl: string): string => `${baseUrl}/console/signed-in`
