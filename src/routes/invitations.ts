import { z } from 'zod'

import { Refusal } from '../domain/refusal.js'
import { isEmail } from '../domain/user.js'
import type { AcceptInvitation } from '../identity/accept-invitation.js'
import type { SendInvitation } from '../identity/invitation-mail.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import type { Invitations } from '../layers/4-data/invitations.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, NO_OBJECT, noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import { mayGrant } from '../policy/table.js'
import { Name, Password, ProfileView, Role, Time } from './schemas.js'

const LIFE_MS = 7 * 86_400_000

const Email = z
  .string()
  .max(254)
  .refine(isEmail, 'must be one e-mail address in ASCII, such as ada@example.com')
  .meta({ format: 'email' })

/** POST /users/invitations and POST /invitations/{token}/accept. */
export const invitationRoutes = ({
  invitations,
  accept,
  send,
  baseUrl,
}: {
  readonly invitations: DataRule<Invitations>
  readonly accept: AcceptInvitation
  /** sends the invitation by e-mail; undefined without an SMTP server */
  readonly send: SendInvitation | undefined
  readonly baseUrl: string
}): readonly Route[] => [
  route({
    method: 'post',
    path: '/users/invitations',
    status: 201,
    ...NO_INPUT,
    gateway: { scope: 'user:invite', quota: 'invite' },
    endpoint: 'user:invite',
    object: { action: 'user:invite', load: noRecord },
    data: invitations,
    body: z.strictObject({ email: Email, role: Role }),
    idempotent: true,
    handle: async ({ store, body: { email, role } }) => {
      const token = newOpaqueToken()
      const expiresAt = new Date(Date.now() + LIFE_MS)
      // does not reveal whether the address has an account: an inviter need not be allowed to read users
      await store.add({ email, role, hash: hashOfToken(token), expiresAt })
      const url = `${baseUrl}/invitations/${token}/accept`
      // not awaited: the answer has the link, so a slow mail server need not delay it
      send?.(email, url, expiresAt)
      return { status: 201, body: { email, role, url, expires_at: expiresAt.toISOString() } }
    },
    documentation: {
      summary: 'Invite a person; only this answer has the single-use link',
      tag: 'users',
      response: z.object({ email: z.string(), role: z.string(), url: z.url(), expires_at: Time }),
    },
  }),
  route({
    method: 'post',
    path: '/invitations/:token/accept',
    status: 201,
    ...NO_INPUT,
    gateway: { scope: 'public', quota: 'sign_in' },
    endpoint: 'none',
    object: NO_OBJECT,
    data: NO_DATA,
    params: z.object({ token: z.string() }),
    body: z.strictObject({ name: Name, password: Password }),
    handle: async ({ params, body, snapshot, deadline }) => {
      const mayGive = (inviterRole: string, role: string) => mayGrant(snapshot, inviterRole, role)
      const accepted = await accept({ token: params.token, ...body, mayGive }, deadline)
      if (accepted === 'unknown') throw new Refusal('not_found')
      if (accepted === 'over')
        throw new Refusal('gone', {
          detail: 'The invitation was used or has expired, or is no longer its inviter’s to give.',
        })
      const { id, email, name, role, created_at } = accepted
      return { status: 201, body: { id, email, name, role, created_at } }
    },
    documentation: {
      summary: 'Accept an invitation once, with a name and a password',
      tag: 'users',
      response: ProfileView,
      refusals: [410],
    },
  }),
]
