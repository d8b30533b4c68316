import { writeSync } from 'node:fs'

import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

import type { Config } from '../config.js'
import { escapeInvisible } from './escape-invisible.js'
import type { LineFormat } from './line-format.js'

/** Fields of a PostgreSQL error that may quote a row or a parameter. */
const ROW_FIELDS = ['detail', 'where', 'hint', 'internalQuery'] as const

const STANDARD_OUTPUT = 1

/**
 * Bytes: the most that is written at once, and how many start a write. A pipe holds 65,536 bytes. Up to 4,096 are
 * written to one atomically, so the lines of processes that share one do not mix.
 */
const WRITES = { alone: { maxWrite: 65_536, minLength: 61_440 }, shared: { maxWrite: 4_096, minLength: 3_584 } }
/** How long, in milliseconds, fewer bytes may wait. */
const FLUSH_MS = 100

declare module 'sonic-boom' {
  interface SonicBoom {
    /** what `contentMode: 'buffer'` takes; missing in the package's types */
    write(bytes: Uint8Array): boolean
  }
}

/**
 * Standard output, several lines in one write. Buffered lines are written when the process exits, also because of an
 * error; `kill -9` loses them. `shared`: other processes write to it, too.
 */
export const standardOutput = ({ shared }: { readonly shared: boolean }) => {
  const stream = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    contentMode: 'buffer',
    periodicFlush: FLUSH_MS,
    ...(shared ? WRITES.shared : WRITES.alone),
  })
  const flush = stream.flushSync.bind(stream)
  // Where nobody reads any more (a closed terminal), the stream would retry forever and keep the process from exiting.
  stream.flushSync = () => {
    if (isWritable(STANDARD_OUTPUT)) flush()
  }
  stream.on('error', () => {
    stream.write = () => true
  })
  return {
    // as bytes: of strings the stream would measure its whole buffer again for each line
    write: (line: string) => {
      stream.write(Buffer.from(line))
    },
    flushSync: () => stream.flushSync(),
  }
}

/** An empty write fails where any other would, and never blocks. */
const isWritable = (descriptor: number): boolean => {
  try {
    writeSync(descriptor, '')
    return true
  } catch {
    return false
  }
}

/**
 * The program's one logger: JSON lines (docs/metrics.md), or text for people. JSON escapes the ASCII control characters
 * in what a caller sent; the other characters that a terminal obeys are escaped on the way out.
 */
export const createLogger = (
  level: Config['logLevel'],
  destination: DestinationStream & { flushSync?(): void },
  format: LineFormat = escapeInvisible,
): Logger => {
  const formatted = {
    write: (line: string) => destination.write(format(line)),
    // pino calls it before a fatal error ends the process
    flushSync: () => destination.flushSync?.(),
  }
  const paths = ['req.headers.authorization', 'err.config', ...ROW_FIELDS.map((name) => `err.${name}`)]
  return pino({ level, redact: { paths, remove: true } }, formatted)
}

/** Logs an uncaught error before it ends the process: node itself writes it to standard error, past the log. */
export const logUncaught = (log: Logger): void => {
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    log.fatal({ err, origin }, 'uncaught error: the process ends'),
  )
}
