import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import type { AcceptInvitation } from '../identity/accept-invitation.js'
import type { SendInvitation } from '../identity/invitation-mail.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import type { Invitations } from '../layers/4-data/invitations.js'
import { route } from '../layers/compose.js'
import type { DataRule, Route } from '../layers/route.js'
import { ProfileView } from './profile.js'
import { Time } from './schemas.js'
import { Role, requireNoHigherRole } from './users.js'

const LIFE_SECONDS = 7 * 86_400

export interface InvitationParts {
  readonly invitations: DataRule<Invitations>
  readonly accept: AcceptInvitation
  /** sends the invitation by e-mail; undefined where no SMTP server is set */
  readonly send: SendInvitation | undefined
  readonly baseUrl: string
}

const Email = z
  .string()
  .max(254)
  .regex(/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address')

/** POST /users/invitations and POST /invitations/{token}/accept. */
export const invitationRoutes = ({ invitations, accept, send, baseUrl }: InvitationParts): readonly Route[] => [
  route({
    method: 'post',
    path: '/users/invitations',
    status: 201,
    gateway: { scope: 'user:invite', quota: 'invite' },
    endpoint: 'user:invite',
    object: { action: 'user:invite', load: () => null, without: true },
    data: invitations,
    body: z.strictObject({ email: Email, role: Role }),
    repeatable: true,
    handle: async ({ store, body: { email, role }, snapshot, caller, repeat }) => {
      requireNoHigherRole(snapshot, caller.user, role)
      const token = newOpaqueToken('', repeat?.secret())
      // Whether the address has an account already is not told here: who may invite need not be one who may read users.
      const expiresAt = await store.add({
        email,
        role,
        hash: hashOfToken(token),
        expiresAt: new Date(Date.now() + LIFE_SECONDS * 1_000),
      })
      const url = `${baseUrl}/invitations/${token}/accept`
      // the link is in the answer: a mail server that is slow or away is no reason to keep the inviter waiting
      if (repeat?.known !== true) send?.(email, url, expiresAt)
      return { status: 201, body: { email, role, url, expires_at: expiresAt.toISOString() } }
    },
    documentation: {
      summary: 'Invite somebody; the single-use link is in this answer and nowhere else',
      tag: 'users',
      response: z.object({ email: z.string(), role: z.string(), url: z.url(), expires_at: Time }),
    },
  }),
  route({
    method: 'post',
    path: '/invitations/:token/accept',
    status: 201,
    gateway: { scope: 'public', quota: 'sign_in' },
    endpoint: 'none',
    object: 'none',
    data: 'none',
    params: z.object({ token: z.string() }),
    body: z.strictObject({
      name: z.string().trim().min(1, 'must not be empty').max(200),
      password: z.string().min(8, 'must have at least 8 characters').max(256),
    }),
    handle: async ({ params, body }) => {
      const accepted = await accept({ token: params.token, ...body })
      if (accepted === 'unknown') throw new Refusal('not_found')
      if (accepted === 'over') throw new Refusal('gone', { detail: 'The invitation was used before, or has expired.' })
      const { id, email, name, role, created_at } = accepted
      return { status: 201, body: { id, email, name, role, created_at } }
    },
    documentation: {
      summary: 'Accept an invitation: sets name and password, once',
      tag: 'users',
      response: ProfileView,
      refusals: [410],
    },
  }),
]
