import type { Logger } from 'pino'

import { errorCode } from '../domain/error-code.js'

/** The connection ended before the response did, or the client closed it. */
const CLIENT_LEFT: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/**
 * Logs a response that broke off, and does nothing else: a warning, such as for an export whose database went away. A
 * client that left is no fault of the service; the line of its request says `aborted`.
 */
export const logBrokenResponse =
  (log: Logger) =>
  (error: unknown): void => {
    const code = errorCode(error)
    if (CLIENT_LEFT.has(code)) log.debug({ code }, 'a client left before its response was whole')
    else log.warn({ err: error }, 'a response broke off')
  }
