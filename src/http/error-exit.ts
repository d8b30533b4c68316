import type { Context, Next } from 'koa'
import type { Logger } from 'pino'

import { SQLSTATE, sqlState } from '../database/errors.js'
import { Refusal, type RefusalCode } from '../domain/refusal.js'
import { writeProblem } from './problem.js'

export type ErrorReport = (ctx: Context, error: unknown) => Refusal

/**
 * Logs errors of requests that are faults of the service, or of what it depends on. PostgreSQL's 42501, and 25006 in a
 * long read, mean that the data layer refused what the layers before it allowed: they raise an alarm. Returns the
 * refusal that the error is answered with.
 */
export const errorReport =
  (log: Logger, onDisagreement: () => void): ErrorReport =>
  (ctx, error) => {
    const refusal = toRefusal(error)
    // the pattern, not the path, which may contain a token (of an invitation)
    const fields = {
      request_id: ctx.state.requestId,
      method: ctx.method,
      route: ctx.state.route ?? 'none',
      code: refusal.code,
    }
    const state = sqlState(error)
    if (state === SQLSTATE.insufficientPrivilege || state === SQLSTATE.readOnlyTransaction) {
      onDisagreement()
      const alarm = { ...fields, err: error, alarm: 'layers_disagree' }
      log.error(alarm, 'the data layer refused what the layers before it allowed')
    } else if (refusal.status >= 500 && !isExpected(ctx, refusal)) {
      log.error({ ...fields, err: refusal.cause ?? error }, refusal.title)
    }
    return refusal
  }

/**
 * The only error exit: it turns every error of a request into a Refusal, by default `internal_error`, so no caller sees
 * a stack, SQL or a row. `host`: the public origin's host, for HTML pages.
 */
export const errorExit =
  (report: ErrorReport, host: string) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const refusal = (ctx.state.refusal = report(ctx, error))
      writeProblem(ctx, refusal, host)
    }
  }

/** 5xx refusals of a service that works as it should: an unknown method, and limits that are reached. */
const EXPECTED: ReadonlySet<RefusalCode> = new Set(['not_implemented', 'too_many_listeners', 'exports_busy'])

/** Whether only the request line is logged. A deadline that passes while the client still sends is its own fault. */
const isExpected = ({ state }: Context, { code }: Refusal): boolean =>
  EXPECTED.has(code) || (code === 'deadline_exceeded' && state.readingBody === true)

const toRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  // thrown by koa and its router, for example for a path that cannot be decoded
  if (status === 400) return new Refusal('invalid_request', { cause: error })
  return new Refusal('internal_error', { cause: error })
}
