import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { SignIn } from '../identity/sign-in.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Route } from '../layers/route.js'

const TokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int(),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: 'TokenAnswer' })

// RFC 6749 §3.2: parameters that the server does not know are ignored
const TokenRequest = z.object({
  grant_type: z.string().max(64),
  username: z.string().max(254).optional(),
  password: z.string().max(256).optional(),
  refresh_token: z.string().max(512).optional(),
  scope: z.string().max(1_000).optional(),
})

const answerTo = async (
  signIn: SignIn,
  { grant_type: grant, username, password, refresh_token: refresh, scope }: z.infer<typeof TokenRequest>,
) => {
  if (grant === 'password')
    return signIn.password({
      username: required('username', username),
      password: required('password', password),
      scope,
    })
  if (grant === 'refresh_token') return signIn.refresh({ refresh_token: required('refresh_token', refresh), scope })
  throw new Refusal('unsupported_grant_type', { detail: 'The grant types are password and refresh_token.' })
}

const required = (field: string, value: string | undefined): string => {
  if (value === undefined || value === '')
    throw new Refusal('invalid_request', { errors: [{ field, message: 'is required' }] })
  return value
}

/** RFC 6749 §5.2 names its errors in `error`; they stand beside the members of RFC 9457. */
const asOAuthError = (error: unknown): never => {
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  throw new Refusal(error.code, {
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    headers: { ...error.headers, 'Cache-Control': 'no-store' },
    extensions: {
      ...error.extensions,
      error: OAUTH_ERRORS.has(error.code) ? error.code : 'invalid_request',
      error_description: error.detail ?? error.title,
    },
  })
}

const OAUTH_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_scope', 'unsupported_grant_type'])

/** POST /auth/token: the token endpoint of RFC 6749. */
export const authRoutes = ({ signIn }: { readonly signIn: SignIn }): readonly Route[] => [
  route({
    method: 'post',
    path: '/auth/token',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'public', quota: 'sign_in' },
    endpoint: 'none',
    object: NO_OBJECT,
    data: NO_DATA,
    accepts: ['form', 'json'],
    body: TokenRequest,
    handle: async ({ body, countAccount }) => {
      // many addresses may try one account: it has a bucket of its own beside the address's
      if (body.username !== undefined) await countAccount(body.username)
      return { status: 200, body: await answerTo(signIn, body).catch(asOAuthError) }
    },
    documentation: {
      summary: 'Sign in with a password, or go on with a refresh token (RFC 6749)',
      tag: 'sign-in',
      response: TokenAnswer,
    },
  }),
  route({
    method: 'post',
    path: '/auth/revoke',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'public', quota: 'sign_in' },
    endpoint: 'none',
    object: NO_OBJECT,
    data: NO_DATA,
    accepts: ['form', 'json'],
    body: z.object({ token: z.string().min(1).max(512), token_type_hint: z.string().max(64).optional() }),
    handle: async ({ body }) => {
      // RFC 7009 §2.2: whether there was such a token is not told
      await signIn.revoke(body.token)
      return { status: 200, body: {} }
    },
    documentation: {
      summary: 'Sign out: ends the sign-in of a refresh token, and its access tokens (RFC 7009)',
      tag: 'sign-in',
      response: z.object({}),
    },
  }),
]
