import { z } from 'zod'

import { isId, toId } from '../domain/id.js'
import type { LinksOfDeleted } from '../domain/user.js'
import { INVITATION_STATES } from '../layers/4-data/invitations.js'
import {
  BooleanText,
  Cursor,
  Email,
  Id,
  Name,
  PageLimit,
  Password,
  ProfileView,
  Role,
  Time,
  WantsCount,
  text,
} from './schemas.js'

export const UserView = ProfileView.extend({
  suspended: z.boolean().describe('true: all their tokens are refused'),
}).meta({
  id: 'User',
  description: 'a user, as admins see them',
})

const TRANSFER = 'transfer:'

/** `delete`, or `transfer:` and the id of the new owner. */
const LinksOfDeletedQuery = z
  .string()
  .refine(
    (text) => text === 'delete' || (text.startsWith(TRANSFER) && isId(text.slice(TRANSFER.length))),
    'must be delete, or transfer: and the id of a user',
  )
  .transform((text): LinksOfDeleted => (text === 'delete' ? text : { to: toId(text.slice(TRANSFER.length)) }))
  .meta({
    pattern: '^(delete|transfer:[1-9][0-9]{0,18})$',
    maxLength: 28,
    description:
      'what happens to the user’s links: `delete`, or `transfer:` and the id of the new owner. Required if there ' +
      'are links',
  })

/**
 * If mails confirm addresses, nobody sets another user's. An address must be changed alone, so that nobody replaces one
 * while changing roles.
 */
export const userUpdate = (setsAddresses: boolean) =>
  z
    .strictObject({
      role: Role.optional(),
      suspended: z.boolean().optional().describe('true: all their tokens are refused'),
      email: Email.optional().describe('only if no mail can confirm a new address'),
    })
    .refine((body) => body.email === undefined || (setsAddresses && Object.keys(body).length === 1), {
      path: ['email'],
      message: setsAddresses ? 'must be changed alone' : 'is changed by the user, who confirms it by mail',
    })

export const UserListQuery = z.strictObject({
  limit: PageLimit,
  cursor: Cursor,
  count: WantsCount,
  q: z.string().min(1).max(200).optional().describe('text to find in the name or the address, in any case'),
  role: Role.optional().describe('only users with this role'),
  suspended: BooleanText.optional().describe('`true`: only suspended users; `false`: only the others'),
})

export const UserDeletionQuery = z.strictObject({ links: LinksOfDeletedQuery.optional() })

export const NewInvitation = z.strictObject({ email: Email, role: Role })

export const MadeInvitation = z.object({
  id: Id.describe('id of the invitation, for withdrawing it'),
  email: text(254, 'address of the invited person'),
  role: text(32, 'role of the new account'),
  url: z.url().max(2_048).describe('the single-use link; only this response contains it'),
  expires_at: Time.describe('when it expires'),
})

export const InvitationListQuery = z.strictObject({ limit: PageLimit, cursor: Cursor, count: WantsCount })

export const ListedInvitation = z
  .object({
    id: Id.describe('id of the invitation'),
    email: text(254, 'address of the invited person'),
    role: text(32, 'role of the new account'),
    invited_by: Id.describe('id of the inviter'),
    created_at: Time.describe('when it was created'),
    expires_at: Time.describe('when its link expires'),
    state: z
      .enum(INVITATION_STATES)
      .describe('state of the invitation; `lapsed`: its inviter is suspended, or may no longer give out the role'),
  })
  .meta({ id: 'Invitation', description: 'an invitation, without its link, as shown to inviters' })

export const InvitationView = z.object({
  role: text(32, 'role of the new account'),
  expires_at: Time.describe('when the link expires'),
})

export const AcceptedInvitation = z.strictObject({ name: Name, password: Password })
