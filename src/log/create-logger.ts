import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

import type { Config } from '../config.js'
import { escapeInvisible } from './escape-invisible.js'

/** Fields of a PostgreSQL error that may hold a row or a parameter. */
const OF_ROWS = ['detail', 'where', 'hint', 'internalQuery'] as const

/**
 * Where the lines go: standard output, written beside the requests; what is still in memory is written when the process exits.
 * Several processes may share it: a pipe takes up to 4,096 bytes whole, so that no line stands within another's.
 */
export const standardOutput = () => pino.destination({ dest: 1, sync: false, maxWrite: 4_096 })

/**
 * The program's one logger: JSON lines (docs/metrics.md). Nothing that a caller sent comes into a line raw: JSON escapes the
 * ASCII control characters, and the rest of what a terminal obeys is escaped on the way out.
 */
export const createLogger = (level: Config['logLevel'], destination: DestinationStream & { flushSync?(): void }): Logger =>
  pino({ level, redact: { paths: ['req.headers.authorization', 'err.config', ...OF_ROWS.map((name) => `err.${name}`)], remove: true } }, {
    write: (line) => destination.write(escapeInvisible(line)),
    // pino asks for it before a fatal error ends the process
    ...(destination.flushSync ? { flushSync: () => destination.flushSync?.() } : {}),
  })
