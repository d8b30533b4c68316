import { DatabaseError } from 'pg'

import { Refusal } from '../domain/refusal.js'

/** SQLSTATEs that the program tells apart. LG… are raised by our own functions (migrations/). */
export const SQLSTATE = {
  uniqueViolation: '23505',
  insufficientPrivilege: '42501',
  readOnlyTransaction: '25006',
  queryCanceled: '57014',
  lockNotAvailable: '55P03',
  deadlockDetected: '40P01',
  featureNotSupported: '0A000',
  invalidStatementName: '26000',
  policyReplaced: 'LG001',
  lastAdmin: 'LG003',
  keyInUse: 'LG004',
  keySpent: 'LG005',
  tooManyTokens: 'LG006',
  callerChanged: 'LG007',
} as const

/** The SQLSTATE of an error that PostgreSQL reported; undefined for every other error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined

/** True where the error is the violation of this unique constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof DatabaseError && error.code === SQLSTATE.uniqueViolation && error.constraint === constraint

/** The policy was replaced between the decision and the commit; nothing was written (promise 1). */
export class PolicyReplaced extends Error {
  constructor(cause: unknown) {
    super('the policy was replaced while this was decided', { cause })
    this.name = 'PolicyReplaced'
  }
}

/** The caller's role, standing or sign-in changed between the decision and the commit; nothing was written. */
export class CallerChanged extends Error {
  constructor(cause: unknown) {
    super('the caller changed while this was decided', { cause })
    this.name = 'CallerChanged'
  }
}

// 08: connection; 53: out of resources (connections, disk); 57P: shutting down; 57014: cancelled by the statement
// timeout
const AWAY = /^(?:08|53|57P|57014|XX000)/
const LOST = /terminated|timeout|not queryable|ECONN|ENOENT|EPIPE|EAI_AGAIN|ENOTFOUND|closed|ended/i

/**
 * What a failed question becomes: PolicyReplaced, CallerChanged, `database_unavailable` (503), or the error as it is.
 */
export const translateError = (error: unknown): unknown => {
  if (error instanceof Refusal) return error
  const state = sqlState(error)
  if (state === SQLSTATE.policyReplaced) return new PolicyReplaced(error)
  if (state === SQLSTATE.callerChanged) return new CallerChanged(error)
  if (
    state === undefined
      ? error instanceof Error && LOST.test(`${error.message} ${'code' in error ? String(error.code) : ''}`)
      : AWAY.test(state)
  ) {
    return databaseAway(error)
  }
  return error
}

/**
 * What a failed attempt to connect becomes, whatever the server's reason (503): no question was asked that could be
 * wrong.
 */
export const databaseAway = (cause: unknown): Refusal =>
  new Refusal('database_unavailable', { headers: { 'Retry-After': '1' }, cause })

export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'database_unavailable'

/**
 * True where a failed transaction is known to have changed nothing: the server said that it refused it. Everything else
 * leaves that open, a lost connection as much as an answer that could not be read.
 */
export const hasChangedNothing = (error: unknown): boolean =>
  error instanceof PolicyReplaced || error instanceof CallerChanged || sqlState(error) !== undefined
