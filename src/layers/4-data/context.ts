import type { Database, Statement } from '../../database/database.js'
import type { CollectionReach } from '../../policy/snapshot.js'
import type { DataContext } from '../route.js'

/** The database roles of a resource: under `own` row-level security leaves the caller's rows, under `any` all. */
export interface ResourceRoles { readonly own: string; readonly any: string }

/**
 * Who a transaction is. The settings that PostgreSQL's row-level security keys on, sent with the statement in one flush;
 * they end with the transaction.
 */
export interface Binding {
  readonly reach: CollectionReach
  readonly userId: string | null
  readonly read: Statement
  /** As `read`, after it took the shared policy lock and found the revision and the caller of the decision as they were (promise 1). */
  readonly change: Statement
}

/** Binds a transaction to the caller and to what the decision's revision lets them reach. `none` becomes nobody: no row matches. */
export const bindTransaction = (context: DataContext, reach: CollectionReach, roles: ResourceRoles): Binding => {
  const role = reach === 'any' ? roles.any : roles.own
  const { caller, snapshot } = context
  const userId = reach === 'none' ? null : caller.user?.id ?? null
  return {
    reach,
    userId,
    read: { name: 'enter', text: 'select enter($1, $2)', values: [role, userId] },
    change: {
      name: 'enter_change',
      text: 'select enter_change($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [role, userId, snapshot.revision, JSON.stringify(decisionRecord(context)), userId === null ? null : caller.user?.role, caller.signIn, caller.external?.issuer ?? null, caller.external?.subject ?? null],
    },
  }
}

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

/** Sends one statement inside a bound transaction and answers its rows. */
export const inTransaction = async <Row>(database: Database, enter: Statement, statement: Statement): Promise<readonly Row[]> => {
  const [, result] = await database.flush([enter, statement])
  return result?.rows ?? []
}

/** Sends a change of one row inside a bound transaction, which it may share with others' (group commit), and answers the row; undefined where it met none. */
export const inGroup = async <Row>(database: Database, binding: Binding, statement: Statement, row: string): Promise<Row | undefined> => {
  const [, result] = await database.change([binding.change, statement], row)
  return result?.rows[0]
}
