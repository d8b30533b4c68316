import type { Knex } from 'knex'

import type { Database } from '../../database/database.js'
import { Refusal } from '../../domain/refusal.js'
import { grantsUnder } from '../../policy/table.js'
import type { DataContext, DataRule } from '../rules.js'
import { USER_ROLES, bind, changeOne, read } from './context.js'
import { countRows } from './count.js'
import { insertOnce } from './idempotency.js'
import { newestFirst, type Page, type PageQuery } from './keyset.js'
import { knex, ownedRows, toStatement } from './query.js'
import { requireGrantable } from './require-grantable.js'

/** `lapsed`: its inviter is suspended, or may no longer grant its role. */
export const INVITATION_STATES = ['open', 'accepted', 'withdrawn', 'expired', 'lapsed'] as const

interface NewInvitation {
  readonly email: string
  readonly role: string
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** An invitation in its public form. Times are ISO 8601 in UTC. */
interface ListedInvitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly invited_by: string
  readonly created_at: string
  readonly expires_at: string
  readonly state: (typeof INVITATION_STATES)[number]
}

/** The invitations that the caller reaches: their own, and all if they may also read every user. */
export interface Invitations {
  /**
   * Adds an invitation and returns its id. Throws `policy_denied` (403) if the role has rights that the inviter does
   * not have, and `already_created` (409) if the request's Idempotency-Key has already created an invitation.
   */
  add(invitation: NewInvitation): Promise<string>
  /** Newest first. */
  page(query: PageQuery): Promise<Page<ListedInvitation>>
  /** The number of all listed invitations, up to 10,000. */
  countListed(): Promise<number>
  /**
   * Withdraws an invitation; false if the caller sees none of this id. Throws `gone` (410) if it was used or withdrawn
   * or has expired, and `policy_denied` (403) for another user's invitation whose role has rights that the caller does
   * not have.
   */
  withdraw(id: string): Promise<boolean>
}

interface Row extends Omit<ListedInvitation, 'created_at' | 'expires_at' | 'state'> {
  readonly created_at: Date
  readonly expires_at: Date
  readonly state: Exclude<ListedInvitation['state'], 'lapsed'>
  /** null if the inviter is suspended */
  readonly inviter_role: string | null
}

const STATE = `case when i.accepted_at is not null then 'accepted' when i.withdrawn_at is not null then 'withdrawn'
  when i.expires_at <= now() then 'expired' else 'open' end as state`

const NEWEST_FIRST = newestFirst('invitations', 'i.id')

/** The data layer of `/users/invitations`. An invitation belongs to its inviter. */
export const invitationsStore = (database: Database): DataRule<Invitations> => ({
  rows: 'adds in the caller’s name; sees and withdraws the caller’s, and all where they may user:read every user',
  open: (context) => {
    const own = bind(context, 'own', USER_ROLES)
    // an invitation names a person, who may be a user by now: seeing others' invitations takes the right to read users
    const seen = bind(context, seesAll(context) ? 'any' : 'own', USER_ROLES)
    const invitations = () => ownedRows('invitations as i', seen)().whereNotNull('i.invited_by')
    const select = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
      rows
        .leftJoin('users as u', (on) => on.on('u.id', 'i.invited_by').onNull('u.suspended_at'))
        .select('i.id', 'i.email', 'i.role', 'i.invited_by', 'i.created_at', 'i.expires_at')
        .select(knex.raw(STATE), 'u.role as inviter_role')
    const mayStillGive = grantsUnder(context.snapshot, context.deadline)
    const toListed = async ({
      inviter_role: by,
      created_at: made,
      expires_at: end,
      state,
      ...row
    }: Row): Promise<ListedInvitation> => ({
      ...row,
      created_at: made.toISOString(),
      expires_at: end.toISOString(),
      state: state === 'open' && (by === null || !(await mayStillGive(by, row.role))) ? 'lapsed' : state,
    })
    return {
      add: async ({ email, role, hash, expiresAt }) => {
        await requireGrantable(context, role)
        const insert = ownedRows('invitations', own)
          .insert({ email, role, token_hash: hash, expires_at: expiresAt })
          .returning('id')
        const { id } = await insertOnce<{ readonly id: string }>(database, own, toStatement(insert))
        return id
      },
      page: async (query) => {
        const rows = await read<Row>(database, seen, NEWEST_FIRST.select(select(invitations()), query))
        return NEWEST_FIRST.pageOf(await Promise.all(rows.map(toListed)), query.limit)
      },
      countListed: () => countRows(database, seen, invitations()),
      withdraw: async (id) => {
        const [found] = await read<Row>(database, seen, select(invitations()).where('i.id', id))
        if (found === undefined) return false
        if (found.state !== 'open')
          throw new Refusal('gone', { detail: `The invitation is ${found.state}: nothing was done.` })
        // Withdrawing another user's invitation takes the right to have given it.
        if (found.invited_by !== context.caller.user?.id) await requireGrantable(context, found.role)
        const withdrawal = ownedRows('invitations', seen)()
          .where('id', id)
          .whereRaw('accepted_at is null and withdrawn_at is null')
          .update({ withdrawn_at: knex.raw('now()') })
          .returning('id')
        await changeOne(database, seen, withdrawal)
        return true
      },
    }
  },
})

/** Whether the caller sees all invitations. A token with only the scope to invite must not reveal users. */
const seesAll = ({ caller: { user, scopes }, snapshot }: DataContext): boolean =>
  user !== null &&
  scopes.has('user:read') &&
  ['user:invite', 'user:read'].every(
    (action) => snapshot.mayCall(user.role, action) && snapshot.reach(user.role, action) === 'any',
  )
