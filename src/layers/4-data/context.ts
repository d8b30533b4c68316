import type { Knex } from 'knex'

import type { StatementResult } from '../../database/batch.js'
import type { Database, Reader } from '../../database/database.js'
import { enter } from '../../database/enter.js'
import type { Statement } from '../../database/statement.js'
import type { Deadline } from '../../domain/deadline.js'
import type { User } from '../../domain/user.js'
import type { CollectionReach } from '../../policy/snapshot.js'
import type { Caller, DataContext } from '../route.js'
import { toStatement } from './query.js'
import type { Reached } from './query.js'

/** The database roles of a resource: under `own` row-level security leaves the caller's rows, under `any` all. */
export interface ResourceRoles {
  readonly own: string
  readonly any: string
}

/** The database roles that users, and what belongs to them, are reached as. */
export const USER_ROLES: ResourceRoles = { own: 'users_own', any: 'users_any' }

/**
 * The identity that a transaction runs as: the role and the settings that row-level security keys on. The statement
 * that sets them goes first in the transaction's one flush, and they end with it.
 */
export interface Binding extends Reached {
  /** the first statement of a transaction that only reads */
  readonly enterRead: Statement
  /**
   * The first statement of a transaction that changes something. It takes the shared policy lock and that of the
   * caller's rights, then fails unless the revision in force and the caller are those that were decided by (promise 1):
   * LG001, LG007. It also hands over the decision, which the table's triggers record with the change. `losing`: the
   * user whose rights the change takes.
   */
  readonly enterChange: (losing?: string) => Statement
  /** after it nothing of the request may commit */
  readonly deadline: Deadline
}

/** What a transaction that only reads needs of it. */
export type ReadBinding = Pick<Binding, 'reach' | 'userId' | 'enterRead'>

/** What the caller reaches by an action, under the decision's revision; nobody reaches nothing. */
export const reachOf = ({ caller, snapshot }: DataContext, action: string): CollectionReach =>
  caller.user === null ? 'none' : snapshot.reach(caller.user.role, action)

/** Binds transactions to the caller, and to what the decision's revision lets them reach. `none`: no row matches. */
export const bind = (context: DataContext, reach: CollectionReach, roles: ResourceRoles): Binding => {
  const role = reach === 'any' ? roles.any : roles.own
  const { caller, snapshot } = context
  const user = reach === 'none' ? null : caller.user
  const userId = user?.id ?? null
  return {
    reach,
    userId,
    enterRead: enter(role, userId),
    enterChange: (losing) => ({
      name: 'enter_change',
      text: 'select enter_change($1, $2, $3, $4, $5, $6)',
      values: [
        role,
        userId,
        snapshot.revision,
        JSON.stringify(decisionRecord(context)),
        user && proofOf(caller),
        losing ?? null,
      ],
    }),
    deadline: context.deadline,
  }
}

/** What the database compares with the caller as they are at the commit (migrations/functions/enter_change.sql). */
const proofOf = ({ user, signIn, personalToken, external }: Caller): string =>
  JSON.stringify({
    id: user?.id,
    role: user?.role,
    sign_in: signIn,
    personal_token: personalToken,
    issuer: external?.issuer,
    subject: external?.subject,
  })

/** The proof of the caller alone, for a transaction that enters another way. */
export const requireCaller = (caller: Caller): Statement => ({
  text: 'select require_caller($1, null)',
  values: [proofOf(caller)],
})

/** The proof that a user still has this role and is not suspended, for a change that rests on them as well. */
export const requireUser = ({ id, role }: User): Statement => ({
  text: 'select require_caller($1, null)',
  values: [JSON.stringify({ id, role })],
})

/** Hands over another decision of the same request, which the rest of the transaction records, or its status. */
export const handOver = (context: DataContext): Statement => ({
  name: 'decided',
  text: `select set_config('app.decision', $1, true)`,
  values: [JSON.stringify(decisionRecord(context))],
})

/** What the decision log keeps of a change; the database adds the record's name and the time. */
const decisionRecord = ({ caller, snapshot, decision, requestId, status }: DataContext) => ({
  request_id: requestId,
  revision: snapshot.revision,
  layer: 'object',
  subject_id: caller.user?.id ?? null,
  subject_role: caller.user?.role ?? 'anonymous',
  token_id: caller.tokenId,
  action: decision?.action,
  relation: decision?.relation,
  effect: decision?.effect,
  rule: decision?.rule,
  row_priority: decision?.row?.priority ?? null,
  status,
})

/** The caller as the reader of an export. */
export const readerOf = ({ userId, enterRead }: Pick<Binding, 'userId' | 'enterRead'>): Reader => ({
  id: userId ?? 'anonymous',
  enter: enterRead,
})

type Query = Statement | { toSQL(): Knex.Sql }

/** Sends one query in a transaction that begins with `first`, and answers its rows. */
const send = async <Row>(
  database: Database,
  first: Statement,
  query: Query,
  deadline?: Deadline,
): Promise<readonly Row[]> => {
  const statements = [first, 'toSQL' in query ? toStatement(query) : query]
  const [, result]: readonly (StatementResult | undefined)[] = await database.flush(statements, deadline)
  return result?.rows ?? []
}

/** Sends one query as the caller, and answers its rows. */
export const read = <Row>(database: Database, { enterRead }: Pick<Binding, 'enterRead'>, query: Query) =>
  send<Row>(database, enterRead, query)

/**
 * Sends one change as the caller, with its proof and its decision record, and answers the rows that it returns.
 * `losing`: the user whose rights it takes.
 */
export const change = <Row>(database: Database, { enterChange, deadline }: Binding, query: Query, losing?: string) =>
  send<Row>(database, enterChange(losing), query, deadline)
