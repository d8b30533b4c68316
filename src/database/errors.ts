import { DatabaseError } from 'pg'

import { Refusal } from '../domain/refusal.js'
import type { RefusalCode } from '../domain/refusal.js'

/** SQLSTATEs that the program tells apart. LG… are raised by our own functions (migrations/). */
export const SQLSTATE = {
  uniqueViolation: '23505',
  insufficientPrivilege: '42501',
  readOnlyTransaction: '25006',
  lockNotAvailable: '55P03',
  deadlockDetected: '40P01',
  queryCanceled: '57014',
  featureNotSupported: '0A000',
  invalidStatementName: '26000',
  policyReplaced: 'LG001',
  callerChanged: 'LG007',
} as const

/** What the database's own functions refuse, as the caller is told it. */
const REFUSED_BY_DATABASE: Readonly<Record<string, { readonly code: RefusalCode; readonly retryAfter?: string }>> = {
  LG003: { code: 'last_admin' },
  LG004: { code: 'request_in_progress', retryAfter: '1' },
  LG005: { code: 'already_created' },
  LG006: { code: 'too_many_tokens' },
  LG009: { code: 'idempotency_key_reused' },
}

/** The SQLSTATE of an error that PostgreSQL reported; undefined for every other error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined

/** True where the error is the violation of this unique constraint or index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof DatabaseError && error.code === SQLSTATE.uniqueViolation && error.constraint === constraint

/** The policy was replaced between the decision and the commit; nothing was written (promise 1). */
export class PolicyReplaced extends Error {
  constructor(cause?: unknown) {
    super('the policy was replaced while this was decided', { cause })
    this.name = 'PolicyReplaced'
  }
}

/** The caller's role, standing or sign-in changed between the decision and the commit; nothing was written. */
export class CallerChanged extends Error {
  constructor(cause?: unknown) {
    super('the caller changed while this was decided', { cause })
    this.name = 'CallerChanged'
  }
}

/** Another request changed, deleted or gave away the record between the decision and the commit; nothing was written. */
export class RecordChanged extends Error {
  constructor() {
    super('the record changed while this was decided')
    this.name = 'RecordChanged'
  }
}

// 08: connection; 53: out of resources (connections, disk); 57P: shutting down; 57014: cancelled by the statement timeout
const AWAY = /^(?:08|53|57P|57014|XX000)/

/** Node's codes for a connection that failed. */
const LOST_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** How pg says that a connection is gone or does not answer; it gives these errors no code. */
const LOST_MESSAGES: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
])

const isLost = (error: unknown): boolean =>
  error instanceof Error && (LOST_MESSAGES.has(error.message) || ('code' in error && LOST_CODES.has(error.code)))

/** What a failed query becomes: PolicyReplaced, CallerChanged, a Refusal, or the error as it is. */
export const translateError = (error: unknown): unknown => {
  if (error instanceof Refusal) return error
  const state = sqlState(error)
  if (state === undefined) return isLost(error) ? databaseAway(error) : error
  if (state === SQLSTATE.policyReplaced) return new PolicyReplaced(error)
  if (state === SQLSTATE.callerChanged) return new CallerChanged(error)
  const refused = REFUSED_BY_DATABASE[state]
  if (refused !== undefined) {
    const { code, retryAfter } = refused
    return new Refusal(code, {
      cause: error,
      ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': retryAfter } }),
    })
  }
  return AWAY.test(state) ? databaseAway(error) : error
}

/** What a failed attempt to connect becomes, whatever the server's reason (503): no query was sent that could be wrong. */
export const databaseAway = (cause: unknown): Refusal =>
  new Refusal('database_unavailable', { headers: { 'Retry-After': '1' }, cause })

export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'database_unavailable'
