import type { Context, Next } from 'koa'
import type { Logger } from 'pino'

import { SQLSTATE, sqlState } from '../database/errors.js'
import { Refusal } from '../domain/refusal.js'
import { writeProblem } from './problem.js'

/**
 * The one error exit: every error of a request ends here, and a caller sees a Refusal or `internal_error`, never a
 * stack, SQL or a row. PostgreSQL's 42501 and 25006 mean that the data layer refused what the layers before it had let
 * through: an alarm for us, and a generic answer for the caller.
 */
export const errorExit =
  (log: Logger, onDisagreement: () => void) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const refusal = toRefusal(error)
      ctx.state.refusal = refusal
      // the pattern of the path, and not the path: whatever a caller puts there may be a token (an invitation's is)
      const fields = {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route: ctx.state.route ?? 'none',
        code: refusal.code,
      }
      const state = sqlState(error)
      if (state === SQLSTATE.insufficientPrivilege || state === SQLSTATE.readOnlyTransaction) {
        onDisagreement()
        log.error(
          { ...fields, err: error, alarm: 'layers_disagree' },
          'the data layer refused what the layers before it allowed',
        )
      } else if (refusal.status >= 500) {
        log.error({ ...fields, err: refusal.cause ?? error }, refusal.title)
      }
      writeProblem(ctx, refusal)
    }
  }

const toRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  // what koa and its router throw themselves: a path that cannot be decoded, an unknown method
  if (status === 400) return new Refusal('invalid_request', { cause: error })
  return new Refusal('internal_error', { cause: error })
}
