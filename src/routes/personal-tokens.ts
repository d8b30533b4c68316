import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { PERSONAL_TOKEN_PREFIX, hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import type { PersonalTokens } from '../layers/4-data/personal-tokens.js'
import { route } from '../layers/compose.js'
import type { Caller } from '../layers/caller.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { MadeToken, NewToken, RevocationQuery, TokensView } from './profile-schemas.js'
import { Id } from './schemas.js'
import { CHANGING_PROFILE, READING_PROFILE } from './shared-layers.js'

/** A new token may only have scopes of the token that requests it. */
const requireHeldScopes = (caller: Caller, scopes: readonly string[]): void => {
  const errors = scopes.flatMap((scope, i) =>
    caller.scopes.has(scope)
      ? []
      : [{ field: `scopes.${i}`, message: `${scope} is not among the scopes of the requesting token` }],
  )
  if (errors.length > 0) throw new Refusal('validation_failed', { errors })
}

/** GET, POST and DELETE /users/me/tokens. */
export const personalTokenRoutes = ({ tokens }: { readonly tokens: DataRule<PersonalTokens> }): readonly Route[] => [
  route({
    ...READING_PROFILE,
    path: '/users/me/tokens',
    data: tokens,
    handle: async ({ store }) => ({ status: 200, body: { data: await store.list() } }),
    documentation: {
      id: 'listPersonalTokens',
      summary: 'List the caller’s live personal tokens',
      tag: 'profile',
      response: TokensView,
    },
  }),
  route({
    ...CHANGING_PROFILE,
    method: 'post',
    path: '/users/me/tokens',
    status: 201,
    gateway: { scope: 'profile:update', personalTokenScope: 'token:create', quota: 'caller' },
    data: tokens,
    body: NewToken,
    idempotent: true,
    handle: async ({ store, caller, body: { name, scopes, expires_in } }) => {
      requireHeldScopes(caller, scopes)
      const token = newOpaqueToken(PERSONAL_TOKEN_PREFIX)
      const expiresAt = new Date(Date.now() + expires_in * 1_000)
      const made = await store.add({ name, hash: hashOfToken(token), scopes, expiresAt })
      return { status: 201, body: { ...made, token } }
    },
    documentation: {
      id: 'createPersonalToken',
      refusals: ['too_many_tokens'],
      example: { body: { name: 'nightly import', scopes: ['link:create'], expires_in: 2_592_000 } },
      summary: 'Create a personal token',
      description:
        'Only this response contains its value. It is sent like an access token. It grants its scopes, as far as the ' +
        'role of its user allows them.',
      tag: 'profile',
      response: MadeToken,
    },
  }),
  route({
    ...CHANGING_PROFILE,
    method: 'delete',
    path: '/users/me/tokens/:id',
    status: 204,
    data: tokens,
    params: z.object({
      id: Id.or(z.uuid().meta({ maxLength: 36 })).meta({
        type: 'string',
        maxLength: 36,
        description: 'id of the token, or of a sign-in',
      }),
    }),
    query: RevocationQuery,
    handle: async ({ store, params: { id }, query }) => {
      if (!(await (query.descendants ? store.revokeWithDescendants(id) : store.revoke(id))))
        throw new Refusal('not_found')
      return { status: 204 }
    },
    documentation: {
      id: 'revokePersonalToken',
      summary: 'Revoke a personal token',
      description:
        'At once and on every node. With `descendants=true`, also all tokens made with it, or with the sign-in given ' +
        'instead.',
      tag: 'profile',
    },
  }),
]
