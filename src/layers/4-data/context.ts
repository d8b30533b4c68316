import type { Knex } from 'knex'

import type { StatementResult } from '../../database/batch.js'
import type { Database, Reader } from '../../database/database.js'
import { enter, type Statement } from '../../database/statement.js'
import { recordUnder } from '../../database/decision-log.js'
import { RecordChanged } from '../../database/errors.js'
import type { Deadline } from '../../domain/deadline.js'
import type { User } from '../../domain/user.js'
import type { IdempotencyKey } from '../../input/idempotency-key.js'
import type { CollectionReach } from '../../policy/snapshot.js'
import { subjectOf, type Caller } from '../caller.js'
import type { DataContext } from '../rules.js'
import { toStatement, type Reached } from './query.js'

/** The database roles of a resource. Row-level security shows `own` only the caller's rows, and `any` all rows. */
export interface ResourceRoles {
  readonly own: string
  readonly any: string
}

/** The database roles for users and what belongs to them. */
export const USER_ROLES: ResourceRoles = { own: 'users_own', any: 'users_any' }

/** The identity of a transaction that only reads. */
export interface ReadIdentity {
  /** its first statement */
  readonly enterRead: Statement
}

/** The part of a binding that a read-only transaction needs. */
export type ReadBinding = Reached & ReadIdentity

/**
 * The identity that a transaction runs as: the role and the settings that row-level security checks. The statement that
 * sets them comes first in the transaction's one flush, and they last until it ends.
 */
export interface Binding extends ReadBinding {
  /**
   * The first statement of a transaction that changes something. It takes the shared policy lock and the lock on the
   * caller's rights. Then it fails with LG001 or LG007 unless the policy revision and the caller are still those of the
   * decision (promise 1). It also passes on the decision, which the table's triggers record with the change. `losing`:
   * the user whose rights the change reduces.
   */
  readonly enterChange: (losing?: string) => Statement
  /** nothing of the request may commit after it */
  readonly deadline: Deadline
  /** null if the request has no Idempotency-Key, or its route takes none */
  readonly idempotencyKey: IdempotencyKey | null
}

/** The rows that the caller reaches by an action, under the decision's revision; `none` for an anonymous caller. */
export const reachOf = ({ caller, snapshot }: DataContext, action: string): CollectionReach =>
  caller.user === null ? 'none' : snapshot.reach(caller.user.role, action)

/** Binds transactions to the caller and their reach. With the reach `none`, no row matches. */
export const bind = (context: DataContext, reach: CollectionReach, roles: ResourceRoles): Binding => {
  const role = reach === 'any' || reach === 'others' ? roles.any : roles.own
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
    idempotencyKey: context.idempotencyKey,
  }
}

/**
 * The caller as they were decided about; the commit compares this with the database
 * (migrations/functions/enter_change.sql).
 */
const proofOf = ({ user, signIn, personalToken, external }: Caller): string =>
  JSON.stringify({
    id: user?.id,
    role: user?.role,
    sign_in: signIn,
    personal_token: personalToken,
    issuer: external?.issuer,
    subject: external?.subject,
  })

/** Only re-checks the caller, for a transaction that does not begin with `enterChange`. */
export const requireCaller = (caller: Caller): Statement => ({
  text: 'select require_caller($1, null)',
  values: [proofOf(caller)],
})

/**
 * Re-checks that a user still has this role and is not suspended, for a change that depends on another user as well.
 */
export const requireUser = ({ id, role }: User): Statement => ({
  text: 'select require_caller($1, null)',
  values: [JSON.stringify({ id, role })],
})

/** Replaces the decision and the status that the rest of the transaction records. */
export const handOver = (context: DataContext): Statement => recordUnder(decisionRecord(context))

/** The decision log's record of a change. The database adds the record's name and the time. */
const decisionRecord = ({ caller, snapshot, decision, requestId, status }: DataContext) => ({
  request_id: requestId,
  revision: snapshot.revision,
  layer: 'object',
  ...subjectOf(caller),
  action: decision?.action,
  relation: decision?.relation,
  effect: decision?.effect,
  rule: decision?.rule,
  row_priority: decision?.row?.priority ?? null,
  status,
})

/** The caller as an export's reader. */
export const readerOf = ({ userId, enterRead }: ReadBinding): Reader => ({
  id: userId ?? 'anonymous',
  enter: enterRead,
})

type Query = Statement | { toSQL(): Knex.Sql }

/** Sends one query in a transaction that begins with `first`, and returns its rows. */
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

/** Sends one query as the caller, and returns its rows. */
export const read = <Row>(database: Database, { enterRead }: ReadIdentity, query: Query, deadline?: Deadline) =>
  send<Row>(database, enterRead, query, deadline)

/**
 * Sends one change as the caller, with the re-check of the decision and its record, and returns the change's rows.
 * `losing`: the user whose rights it reduces.
 */
export const change = <Row>(database: Database, { enterChange, deadline }: Binding, query: Query, losing?: string) =>
  send<Row>(database, enterChange(losing), query, deadline)

/** Like `change`, for exactly one row, which is returned. Throws RecordChanged if it is no longer there. */
export const changeOne = async <Row>(...request: Parameters<typeof change>): Promise<Row> => {
  const [row] = await change<Row>(...request)
  if (row === undefined) throw new RecordChanged()
  return row
}
