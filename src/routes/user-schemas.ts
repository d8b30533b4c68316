import { z } from 'zod'

import { isId, toId } from '../domain/id.js'
import type { LinksOfDeleted } from '../domain/links-of-deleted.js'
import { INVITATION_STATES } from '../layers/4-data/invitations.js'
import { Cursor, Email, Id, Name, PageLimit, Password, ProfileView, Role, Time, WantsCount, text } from './schemas.js'

export const UserView = ProfileView.extend({ suspended: z.boolean().describe('true: every token is refused') }).meta({
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
      'what becomes of the user’s links: `delete`, or `transfer:` and the id of who gets them. Needed where there ' +
      'are links',
  })

/**
 * Where mails confirm addresses, nobody sets another's. An address goes alone: who moves users among roles replaces
 * none by the way.
 */
export const userUpdate = (setsAddresses: boolean) =>
  z
    .strictObject({
      role: Role.optional(),
      suspended: z.boolean().optional().describe('true: every token of theirs is refused'),
      email: Email.optional().describe('where no mail can confirm a new address'),
    })
    .refine((body) => body.email === undefined || (setsAddresses && Object.keys(body).length === 1), {
      path: ['email'],
      message: setsAddresses ? 'is changed by itself' : 'is not a field that may be set here',
    })

export const UserListQuery = z.strictObject({
  limit: PageLimit,
  cursor: Cursor,
  count: WantsCount,
  q: z.string().min(1).max(200).optional().describe('a text in the name or the address, in any case'),
  role: Role.optional().describe('those who have it'),
  suspended: z.enum(['true', 'false']).optional().describe('`true`: those who are suspended; `false`: the others'),
})

export const UserDeletionQuery = z.strictObject({ links: LinksOfDeletedQuery.optional() })

export const NewInvitation = z.strictObject({ email: Email, role: Role })

export const MadeInvitation = z.object({
  id: Id.describe('of the invitation, to withdraw it by'),
  email: text(254, 'who is invited'),
  role: text(32, 'that they will have'),
  url: z.url().max(2_048).describe('the link, which can be used once; only this answer has it'),
  expires_at: Time.describe('when it ends'),
})

export const InvitationListQuery = z.strictObject({ limit: PageLimit, cursor: Cursor, count: WantsCount })

export const ListedInvitation = z
  .object({
    id: Id.describe('of the invitation'),
    email: text(254, 'who is invited'),
    role: text(32, 'that is offered'),
    invited_by: Id.describe('of the user who invites'),
    created_at: Time.describe('when it was made'),
    expires_at: Time.describe('when its link ends'),
    state: z
      .enum(INVITATION_STATES)
      .describe('what became of it; `lapsed`: its inviter is suspended, or may not give out the role any more'),
  })
  .meta({ id: 'Invitation', description: 'an invitation as those see it who invite; nobody sees its link again' })

export const InvitationView = z.object({
  role: text(32, 'that is offered'),
  expires_at: Time.describe('when the link ends'),
})

export const AcceptedInvitation = z.strictObject({ name: Name, password: Password })
