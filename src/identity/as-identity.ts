import type { StatementResult } from '../database/batch.js'
import type { Database } from '../database/database.js'
import { enter, type Statement } from '../database/statement.js'
import type { Deadline } from '../domain/deadline.js'

/** Runs the rest of a transaction as the role `identity`, and as no user. */
export const ENTER_IDENTITY = enter('identity', null)

/**
 * Sends statements as one transaction of the role `identity`, the only one that may read password hashes, sign-ins and
 * invitations. They are raw SQL: sign-in, invitations and the command line have no caller to whose rows a query builder
 * could be bound.
 */
export const asIdentity = async (
  database: Database,
  statements: readonly Statement[],
  deadline?: Deadline,
): Promise<readonly StatementResult[]> => (await database.flush([ENTER_IDENTITY, ...statements], deadline)).slice(1)

/** The same; resolves with the first row of the last statement. */
export const rowAsIdentity = async <Row>(
  database: Database,
  statements: readonly Statement[],
  deadline?: Deadline,
): Promise<Row | undefined> => (await asIdentity(database, statements, deadline)).at(-1)?.rows[0]

/** Must come before a statement that takes rights from a user (migrations/functions/lock_rights.sql). */
export const lockRights = (userId: string): Statement => ({
  name: 'lock_rights',
  text: 'select lock_rights(null, $1)',
  values: [userId],
})
