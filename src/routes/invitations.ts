import { z } from 'zod'

import { PolicyReplaced } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import type { AcceptInvitation, FindInvitation } from '../identity/accept-invitation.js'
import { invitationMail } from '../identity/mails.js'
import { hashOfToken, newOpaqueToken } from '../identity/opaque-token.js'
import type { Invitations } from '../layers/4-data/invitations.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { noRecord, type DataRule } from '../layers/rules.js'
import type { HandlerLayers } from '../layers/handler-layers.js'
import { acceptedPage, invitationPage } from '../pages/pages.js'
import { grantsUnder } from '../policy/table.js'
import type { Mailing } from './mailed-link.js'
import { PUBLIC_GET, SIGNING_IN, asking } from './shared-layers.js'
import { Id, PROFILE_EXAMPLE, ProfileView, pageOf, profileOf, text, textIn, withCount } from './schemas.js'
import { requestOf } from './sign-in-request.js'
import {
  AcceptedInvitation,
  InvitationListQuery,
  InvitationView,
  ListedInvitation,
  MadeInvitation,
  NewInvitation,
} from './user-schemas.js'

const LIFE_MS = 7 * 86_400_000

const ByToken = z.object({ token: text(512, 'from the invitation link') })

/** Promise 7: what an outdated policy hides or ends is decided again under the newest. */
const requireNewest = async (layers: HandlerLayers): Promise<void> => {
  if (!(await layers.isNewest())) throw new PolicyReplaced()
}

/** Refuses if there is no invitation, or it is no longer open. */
const requireOpen = async <Found extends object>(
  found: Found | 'over' | 'unknown',
  layers: HandlerLayers,
): Promise<Found> => {
  if (found === 'unknown') throw new Refusal('not_found')
  if (found === 'over') {
    await requireNewest(layers)
    throw new Refusal('gone', {
      detail:
        'The invitation was used, withdrawn or has expired, its inviter may no longer give out its role, or its ' +
        'address has an account.',
    })
  }
  return found
}

/** POST, GET and DELETE /users/invitations, and GET and POST /invitations/{token}/accept. */
export const invitationRoutes = ({
  invitations,
  find,
  accept,
  sendMail,
  baseUrl,
}: Mailing & {
  readonly invitations: DataRule<Invitations>
  readonly find: FindInvitation
  readonly accept: AcceptInvitation
}): readonly Route[] => {
  const { host } = new URL(baseUrl)
  const inviting = { ...asking('user:invite', noRecord), data: invitations } as const
  return [
    route({
      ...inviting,
      method: 'post',
      path: '/users/invitations',
      status: 201,
      gateway: { scope: 'user:invite', quota: 'invite' },
      body: NewInvitation,
      idempotent: true,
      handle: async ({ store, body: { email, role } }) => {
        const token = newOpaqueToken()
        const expiresAt = new Date(Date.now() + LIFE_MS)
        // does not reveal whether the address has an account: an inviter may lack the right to read users
        const id = await store.add({ email, role, hash: hashOfToken(token), expiresAt })
        const url = `${baseUrl}/invitations/${token}/accept`
        // not awaited: the response contains the link, so a slow mail server need not delay it
        sendMail?.(invitationMail(email, url, expiresAt))
        return { status: 201, body: { id, email, role, url, expires_at: expiresAt.toISOString() } }
      },
      documentation: {
        id: 'inviteUser',
        example: { body: { email: 'grace@example.com', role: 'editor' } },
        summary: 'Invite a person',
        description: 'Only this response contains the single-use link.',
        tag: 'users',
        response: MadeInvitation,
      },
    }),
    route({
      ...inviting,
      method: 'get',
      path: '/users/invitations',
      status: 200,
      query: InvitationListQuery,
      handle: async ({ store, query: { count, ...query } }) => ({
        status: 200,
        body: await withCount(store.page(query), count, store.countListed),
      }),
      documentation: {
        id: 'listInvitations',
        summary: 'List invitations',
        description: 'Your own and their state, newest first; all invitations, if you may read every user.',
        tag: 'users',
        response: pageOf(ListedInvitation),
      },
    }),
    route({
      ...inviting,
      method: 'delete',
      path: '/users/invitations/:id',
      status: 204,
      params: z.object({ id: Id.describe('id of the invitation') }),
      handle: async ({ store, params: { id }, layers }) => {
        if (!(await store.withdraw(id))) {
          await requireNewest(layers)
          throw new Refusal('not_found')
        }
        return { status: 204 }
      },
      documentation: {
        id: 'withdrawInvitation',
        refusals: ['gone'],
        summary: 'Withdraw an open invitation',
        description: 'Its link answers 410 from then on.',
        tag: 'users',
      },
    }),
    route({
      ...PUBLIC_GET,
      path: '/invitations/:token/accept',
      params: ByToken,
      handle: async ({ params: { token }, snapshot, deadline, layers }) => {
        const found = await find({ token, mayGive: grantsUnder(snapshot, deadline) })
        const { role, expiresAt } = await requireOpen(found, layers)
        return {
          status: 200,
          body: { role, expires_at: expiresAt.toISOString() },
          page: invitationPage(host),
          headers: { 'Cache-Control': 'no-store' },
        }
      },
      documentation: {
        id: 'showInvitation',
        refusals: ['gone'],
        summary: 'Show an invitation',
        description: 'It is not used up. Browsers get a page for accepting it.',
        tag: 'users',
        types: ['text/html'],
        response: InvitationView,
      },
    }),
    // Forms of other sites may post here as well, which is harmless: no cookie or anything else that a browser adds by
    // itself grants a right. The token in the path does, and everybody who has it may accept.
    route({
      ...SIGNING_IN,
      path: '/invitations/:token/accept',
      status: 201,
      params: ByToken,
      body: AcceptedInvitation,
      accepts: ['json', 'form'],
      form: (faults, sent) => invitationPage(host, faults, textIn(sent, 'name')),
      handle: async ({ params, body, snapshot, layers, ...request }) => {
        const mayGive = grantsUnder(snapshot, request.deadline)
        const { revision } = snapshot
        const asked = { token: params.token, ...body, mayGive, revision }
        const accepted = await requireOpen(await accept(asked, requestOf(request)), layers)
        return { status: 201, body: profileOf(accepted), page: acceptedPage(host, accepted.email) }
      },
      documentation: {
        id: 'acceptInvitation',
        refusals: ['gone'],
        example: { body: { name: 'Grace Hopper', password: 'a long password' }, answer: PROFILE_EXAMPLE },
        summary: 'Accept an invitation',
        description: 'Once, with a name and a password.',
        tag: 'users',
        types: ['text/html'],
        response: ProfileView,
      },
    }),
  ]
}
