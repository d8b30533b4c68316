import { DatabaseError } from 'pg'

import { errorCode } from '../domain/thrown.js'
import { Refusal, policyUnavailable, type Fault, type RefusalCode } from '../domain/refusal.js'

/** SQLSTATEs that the code distinguishes. LG… come from our own functions (migrations/functions/). */
export const SQLSTATE = {
  insufficientPrivilege: '42501',
  readOnlyTransaction: '25006',
  lockNotAvailable: '55P03',
  deadlockDetected: '40P01',
  queryCanceled: '57014',
  featureNotSupported: '0A000',
  invalidStatementName: '26000',
  policyReplaced: 'LG001',
  callerChanged: 'LG007',
  deadlinePassed: 'LG010',
  recordChanged: 'LG011',
} as const

/** What the caller receives when a function of the database refuses a change. */
const REFUSED_BY_DATABASE: Readonly<
  Record<
    string,
    {
      readonly code: RefusalCode
      readonly detail?: string
      readonly errors?: readonly Fault[]
      readonly retryAfter?: string
    }
  >
> = {
  LG003: { code: 'last_admin' },
  LG004: { code: 'request_in_progress', retryAfter: '1' },
  LG005: { code: 'already_created' },
  LG006: { code: 'too_many_tokens', detail: 'A user has at most 100 live personal tokens: revoke one first.' },
  LG009: {
    code: 'idempotency_key_reused',
    errors: [{ field: 'Idempotency-Key', message: 'must be another one for another request' }],
  },
  LG012: { code: 'rate_limited', detail: 'A user may ask for five new addresses in a day.' },
  LG013: { code: 'proposal_closed' },
}

/** The SQLSTATE of an error that PostgreSQL reported; undefined for other errors. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined

/** True if a value cannot be stored (class 22, data exception): a second attempt would fail the same way. */
export const isUnstorable = (error: unknown): boolean => sqlState(error)?.startsWith('22') === true

/** True if the error is a violation of this constraint or unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof DatabaseError && error.constraint === constraint

/** What a request was decided on has changed before its commit, and nothing was written. */
export class DecisionOutdated extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what} after the decision`, { cause })
    this.name = new.target.name
  }
}

/** Another policy revision is in force (promise 1). */
export class PolicyReplaced extends DecisionOutdated {
  constructor(cause?: unknown) {
    super('the policy was replaced', cause)
  }
}

/** The caller's role, status or sign-in changed. */
export class CallerChanged extends DecisionOutdated {
  constructor(cause?: unknown) {
    super('the caller changed', cause)
  }
}

/** The record was changed, deleted or transferred. */
export class RecordChanged extends DecisionOutdated {
  constructor(cause?: unknown) {
    super('the record changed', cause)
  }
}

/** The answer if the decision cannot be made again: 503 for the policy, 409 for the caller and the record. */
export const refusalOfOutdated = (error: DecisionOutdated): Refusal =>
  error instanceof PolicyReplaced ? policyUnavailable(error) : new Refusal('conflict', { cause: error })

// 08: connection; 53: out of connections or disk; 57P: shutting down; 57014: statement timeout; XX000: internal error
const AWAY = /^(?:08|53|57P|57014|XX000)/

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

/** pg's messages for a connection that is lost or does not answer; these errors have no code. */
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
  error instanceof Error && (LOST_MESSAGES.has(error.message) || LOST_CODES.has(errorCode(error)))

/** The seconds that a function of ours gives as the detail of its error. */
const waitOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.detail : undefined)

/** Turns the error of a query into a Refusal or one of the errors above, or returns it unchanged. */
export const translateError = (error: unknown): unknown => {
  if (error instanceof Refusal) return error
  const state = sqlState(error)
  if (state === undefined) return isLost(error) ? databaseAway(error) : error
  if (state === SQLSTATE.policyReplaced) return new PolicyReplaced(error)
  if (state === SQLSTATE.callerChanged) return new CallerChanged(error)
  if (state === SQLSTATE.recordChanged) return new RecordChanged(error)
  // two changes waited for each other, and PostgreSQL ended this one
  if (state === SQLSTATE.deadlockDetected) return new Refusal('conflict', { cause: error })
  const refused = REFUSED_BY_DATABASE[state]
  if (refused !== undefined) {
    const { code, detail, errors, retryAfter = waitOf(error) } = refused
    const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
    return new Refusal(code, { detail, errors, cause: error, headers })
  }
  return AWAY.test(state) ? databaseAway(error) : error
}

/** 503. Also for every failed attempt to connect, whatever its reason: no query was sent that could be wrong. */
export const databaseAway = (cause: unknown): Refusal =>
  new Refusal('database_unavailable', { headers: { 'Retry-After': '1' }, cause })

export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'database_unavailable'
