import type { Entering } from '../../database/change.js'
import type { Database } from '../../database/database.js'
import type { Statement } from '../../database/statement.js'
import type { CollectionReach } from '../../policy/snapshot.js'
import type { DataContext } from '../route.js'

/** The database roles of a resource: under `own` row-level security leaves the caller's rows, under `any` all. */
export interface ResourceRoles {
  readonly own: string
  readonly any: string
}

/**
 * Who a transaction is. The settings that PostgreSQL's row-level security keys on, sent with the statement in one
 * flush; they end with the transaction.
 */
export interface Binding {
  readonly reach: CollectionReach
  readonly userId: string | null
  readonly read: Statement
  /**
   * What a change is entered with; its statement takes the shared policy lock and finds the revision and the caller as
   * they were (promise 1).
   */
  readonly entering: Entering
}

/**
 * Binds a transaction to the caller and to what the decision's revision lets them reach. `none` becomes nobody: no row
 * matches.
 */
export const bindTransaction = (context: DataContext, reach: CollectionReach, roles: ResourceRoles): Binding => {
  const role = reach === 'any' ? roles.any : roles.own
  const { caller, snapshot } = context
  const user = reach === 'none' ? null : caller.user
  return {
    reach,
    userId: user?.id ?? null,
    read: { name: 'enter', text: 'select enter($1, $2)', values: [role, user?.id ?? null] },
    entering: {
      role,
      userId: user?.id ?? null,
      revision: snapshot.revision,
      decision: decisionRecord(context),
      caller: user && {
        role: user.role,
        signIn: caller.signIn,
        issuer: caller.external?.issuer ?? null,
        subject: caller.external?.subject ?? null,
      },
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
export const inTransaction = async <Row>(
  database: Database,
  enter: Statement,
  statement: Statement,
): Promise<readonly Row[]> => {
  const [, result] = await database.flush([enter, statement])
  return result?.rows ?? []
}
