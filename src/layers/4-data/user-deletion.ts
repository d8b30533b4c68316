import type { PoolClient, QueryResultRow } from 'pg'

import type { Database } from '../../database/database.js'
import { RecordChanged } from '../../database/errors.js'
import { sendTo, type Statement } from '../../database/statement.js'
import { counted } from '../../domain/counted.js'
import type { Decision } from '../../domain/decision.js'
import type { Id } from '../../domain/id.js'
import type { LinksOfDeleted, User } from '../../domain/user.js'
import { Refusal } from '../../domain/refusal.js'
import { lockUsers, refuseNoHeir } from '../../identity/heir.js'
import type { DataContext, DataRule } from '../rules.js'
import { USER_ROLES, bind, handOver, reachOf, type Binding } from './context.js'
import { LINK_ROLES, type LinkChanged } from './link-rows.js'
import { knex, ownedRows, toStatement } from './query.js'
import { requireGrantable } from './require-grantable.js'
import { exactUser } from './users.js'

/** Deletes users, as far as the caller reaches them. */
export interface UserDeletion {
  /**
   * Deletes exactly the user that was decided about, with their tokens, sign-ins, invitations and keys. `links` says
   * whether their links are deleted or transferred, each with its own decision in the log. Links in the trash go the
   * same way; if `links` is undefined, they are deleted. Throws:
   * - `has_links` (409) if the user has links and `links` is undefined
   * - `too_many_links` (409), `last_admin` (409)
   * - `policy_denied` (403) if the caller may not do that with these links, or the user's role has rights that the
   *   caller's does not have
   * - `validation_failed` (422) if the new owner does not exist
   */
  delete(user: User, links: LinksOfDeleted | undefined): Promise<void>
}

/**
 * How many links one request deletes or transfers. Each gets its own log entry, at about 10,000 entries a second
 * (docs/operations.md).
 */
export const MOST_LINKS = 10_000

/** The data layer of `DELETE /users/{id}`. Calls `changed` with each link's code before the answer is sent. */
export const userDeletionStore = (database: Database, changed: LinkChanged): DataRule<UserDeletion> => ({
  rows: 'users that the caller may user:delete; of their links those that they may link:delete or link:transfer',
  open: (context) => {
    const own = bind(context, reachOf(context, 'user:delete'), USER_ROLES)
    const users = ownedRows('users', own)

    return {
      delete: async (user, links) => {
        await requireGrantable(context, user.role)
        const heir = typeof links === 'object' ? links.to : null
        const linkAction = heir === null ? 'link:delete' : 'link:transfer'
        const action = links === undefined ? 'user:delete' : linkAction
        const decision = links === undefined ? context.decision : decideOnLinks(context, user, action)
        const reached = bind(context, reachOf(context, action), LINK_ROLES)

        const codes = await database.transaction(async (client) => {
          const send = senderOn(client)
          // Locks the user's rights exclusively, so that a concurrent request of theirs is refused.
          await send(own.enterChange(user.id))
          for (const lock of lockUsers(user.id, heir)) await send(lock)

          await send(handOver({ ...context, decision }))
          await send(reached.enterRead)
          const count = await countLinks(send, reached, 'links', user.id)
          if (count > 0 && links === undefined) throw hasLinks(count)
          const deleted = heir === null ? 0 : await countLinks(send, reached, 'deleted_links', user.id)
          if (count + deleted > MOST_LINKS) throw tooManyLinks(count + deleted, deleted)
          const moved = await moveLinks(send, reached, user.id, heir).catch(refuseNoHeir)

          await send(handOver(context))
          await send(own.enterRead)
          const deletion = exactUser(users, user).delete().returning('id')
          if ((await send(toStatement(deletion))).length === 0) throw new RecordChanged()
          return moved
        }, own.deadline)

        for (const code of codes) changed(code)
      },
    }
  },
})

type Send = <Row extends QueryResultRow>(statement: Statement) => Promise<readonly Row[]>

const senderOn =
  (client: PoolClient): Send =>
  async <Row extends QueryResultRow>(statement: Statement) =>
    (await sendTo<Row>(client, statement)).rows

/**
 * The decision about the user's links, asked as for a request of its own: the right to delete users does not include
 * that to delete or transfer links.
 */
const decideOnLinks = ({ snapshot, caller: { user } }: DataContext, { id }: User, action: string): Decision => {
  const record = { owner_id: id }
  const decision = snapshot.decide(user, action, record)
  const isLetIn = snapshot.mayCall(decision.role, action)
  if (isLetIn && snapshot.can(user, action, record)) return decision
  throw new Refusal('policy_denied', {
    detail: isLetIn
      ? `${decision.rule} denies ${action} to the role ${decision.role} on the links of this user.`
      : `No endpoint row lets the role ${decision.role} ${action}, which the links of this user need.`,
    ...(isLetIn && { extensions: { rule: decision.rule } }),
  })
}

const countLinks = async (
  send: Send,
  reached: Binding,
  table: 'links' | 'deleted_links',
  owner: Id,
): Promise<number> => {
  const links = ownedRows(table, reached)().where('owner_id', owner)
  const [row] = await send<{ count: string }>(toStatement(links.count('* as count')))
  return Number(row?.count)
}

/**
 * Transfers the links to the heir, or deletes them, including those in the trash. Returns the codes of those that were
 * not in the trash.
 */
const moveLinks = async (send: Send, reached: Binding, owner: Id, heir: Id | null): Promise<readonly string[]> => {
  const theirs = ownedRows('links', reached)().where('owner_id', owner)
  const inTrash = ownedRows('deleted_links', reached)().where('owner_id', owner)
  if (heir === null) {
    await send(toStatement(inTrash.delete()))
    return (await send<{ code: string }>(toStatement(theirs.delete().returning('code')))).map(({ code }) => code)
  }
  await send({ text: 'select give_deleted_links($1, $2)', values: [owner, heir] })
  const given = knex.raw('select code from give_links(array(?), ?)', [theirs.select('id'), heir])
  return (await send<{ code: string }>(toStatement(given))).map(({ code }) => code)
}

const hasLinks = (count: number): Refusal =>
  new Refusal('has_links', {
    detail: `The user has ${counted(count, 'link')}: say links=delete, or links=transfer:ID.`,
    extensions: { links: count },
  })

export const tooManyLinks = (count: number, deleted: number): Refusal =>
  new Refusal('too_many_links', {
    detail:
      `The user has ${count} links${deleted > 0 ? ` (${deleted} of them in the trash)` : ''}, and one request takes ` +
      `${MOST_LINKS}. Give them to somebody by POST /users/{id}/links/transfer first, or run linkgate user delete` +
      `${deleted > 0 ? ', which takes the trash as well' : ''}.`,
    extensions: { links: count },
  })
