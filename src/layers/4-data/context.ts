import type { Knex } from 'knex'

import type { StatementResult } from '../../database/batch.js'
import type { Database, Reader } from '../../database/database.js'
import type { Statement } from '../../database/statement.js'
import type { CollectionReach } from '../../policy/snapshot.js'
import type { DataContext } from '../route.js'
import { toStatement } from './query.js'
import type { Reached } from './query.js'

/** The database roles of a resource: under `own` row-level security leaves the caller's rows, under `any` all. */
export interface ResourceRoles {
  readonly own: string
  readonly any: string
}

/**
 * The identity that a transaction runs as: the role and the settings that row-level security keys on. The statement
 * that sets them goes first in the transaction's one flush, and they end with it.
 */
export interface Binding extends Reached {
  /** the first statement of a transaction that only reads */
  readonly enterRead: Statement
  /**
   * The first statement of a transaction that changes something. It takes the shared policy lock, then fails unless the
   * revision in force and the caller's role, standing and sign-in are those that were decided by (promise 1): LG001,
   * LG007. It also hands over the decision, which the table's triggers record with the change.
   */
  readonly enterChange: Statement
}

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
    enterChange: {
      name: 'enter_change',
      text: 'select enter_change($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [
        role,
        userId,
        snapshot.revision,
        JSON.stringify(decisionRecord(context)),
        user?.role ?? null,
        user && caller.signIn,
        user && (caller.external?.issuer ?? null),
        user && (caller.external?.subject ?? null),
      ],
    },
  }
}

/** Turns the rest of a transaction into one of a role, for one user. */
export const enter = (role: string, userId: string | null): Statement => ({
  name: 'enter',
  text: 'select enter($1, $2)',
  values: [role, userId],
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
const send = async <Row>(database: Database, first: Statement, query: Query): Promise<readonly Row[]> => {
  const [, result]: readonly (StatementResult | undefined)[] = await database.flush([
    first,
    'toSQL' in query ? toStatement(query) : query,
  ])
  return result?.rows ?? []
}

/** Sends one query as the caller, and answers its rows. */
export const read = <Row>(database: Database, { enterRead }: Pick<Binding, 'enterRead'>, query: Query) =>
  send<Row>(database, enterRead, query)

/** Sends one change as the caller, with its proof and its decision record, and answers the rows that it returns. */
export const change = <Row>(database: Database, { enterChange }: Binding, query: Query) =>
  send<Row>(database, enterChange, query)
