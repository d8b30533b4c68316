import type { Logger } from 'pino'

import { errorCode } from '../domain/thrown.js'

/** Error codes that mean the client closed the connection before the response was complete. */
const CLIENT_LEFT: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/**
 * Logs a response that broke off as a warning, for example an export whose database connection failed. A client that
 * disconnected is not the service's fault: it is logged at debug level, and its request line says `aborted`.
 */
export const logBrokenResponse =
  (log: Logger) =>
  (error: unknown): void => {
    const code = errorCode(error)
    if (CLIENT_LEFT.has(code)) log.debug({ code }, 'a client left before its response was whole')
    else log.warn({ err: error }, 'a response broke off')
  }
