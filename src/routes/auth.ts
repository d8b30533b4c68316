import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { detailOf } from '../http/problem.js'
import { PERSONAL_TOKEN_PREFIX } from '../identity/opaque-token.js'
import type { SignIn, SignInRequest, SignedIn } from '../identity/sign-in.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { SIGNING_IN } from './shared-layers.js'
import { requestOf } from './sign-in-request.js'
import { RevokeRequest, TokenAnswer, TokenRequest } from './sign-in-schemas.js'

const grantToken = async (
  signIn: SignIn,
  { grant_type, scope, ...fields }: z.infer<typeof TokenRequest>,
  request: SignInRequest,
): Promise<SignedIn> => {
  const required = (field: keyof typeof fields): string => {
    const value = fields[field]
    if (!value) throw new Refusal('invalid_request', { errors: [{ field, message: 'is required' }] })
    return value
  }
  if (grant_type === 'password')
    return signIn.password({ username: required('username'), password: required('password'), scope }, request)
  if (grant_type === 'refresh_token')
    return signIn.refresh({ refresh_token: required('refresh_token'), scope }, request)
  throw new Refusal('unsupported_grant_type', { detail: 'The grant types are password and refresh_token.' })
}

const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_token_type',
])

/** Adds the members of RFC 6749 §5.2 to a refusal of the request's content. */
const asOAuthError = (refusal: Refusal): Refusal => {
  const { code, status, detail, errors, headers, extensions, title } = refusal
  if (status >= 500 || code === 'rate_limited') return refusal
  const error = OAUTH_ERRORS.has(code) ? code : 'invalid_request'
  return new Refusal(code, {
    detail,
    errors,
    headers,
    extensions: { ...extensions, error, error_description: inAscii(detailOf(refusal) ?? title) },
  })
}

/** Replaces the characters that RFC 6749 §5.2 keeps out of an error_description. */
const inAscii = (text: string): string => text.replaceAll(/[^ !#-[\]-~]/g, "'")

const byOAuth = {
  ...SIGNING_IN,
  accepts: ['form', 'json'],
  inputFault: 'invalid_request',
  shape: asOAuthError,
} as const

/** POST /auth/token (RFC 6749) and POST /auth/revoke (RFC 7009). */
export const authRoutes = ({ signIn }: { readonly signIn: SignIn }): readonly Route[] => [
  route({
    ...byOAuth,
    path: '/auth/token',
    body: TokenRequest,
    handle: async (input) => {
      const { body } = input
      // attempts on one account are limited across all addresses
      if (body.username !== undefined) await input.layers.countAccount(body.username)
      const { access, refreshToken } = await grantToken(signIn, body, requestOf(input))
      // RFC 6749 §5.1 demands Pragma beside Cache-Control, which every sign-in has
      return { status: 200, body: { ...access, refresh_token: refreshToken }, headers: { Pragma: 'no-cache' } }
    },
    documentation: {
      id: 'requestToken',
      refusals: ['invalid_grant', 'unsupported_grant_type', 'invalid_scope'],
      example: { body: { grant_type: 'password', username: 'ada@example.com', password: 'a long password' } },
      summary: 'Get an access token (RFC 6749)',
      description: 'For a password or a refresh token.',
      tag: 'sign-in',
      response: TokenAnswer,
    },
  }),
  route({
    ...byOAuth,
    path: '/auth/revoke',
    body: RevokeRequest,
    handle: async (input) => {
      const { token } = input.body
      if (token.startsWith(PERSONAL_TOKEN_PREFIX) || token.includes('.'))
        throw new Refusal('unsupported_token_type', {
          detail: 'Only refresh tokens are revoked here. Revoke a personal token with DELETE /users/me/tokens/{id}.',
        })
      // RFC 7009 §2.2: the answer does not reveal whether the token existed
      await signIn.revoke(token, requestOf(input))
      return { status: 200, body: {} }
    },
    documentation: {
      id: 'revokeToken',
      refusals: ['unsupported_token_type'],
      example: { body: { token: 'the refresh token' }, answer: {} },
      summary: 'Sign out (RFC 7009)',
      description: 'Revokes a refresh token and its access tokens.',
      tag: 'sign-in',
      response: z.object({}),
    },
  }),
]
