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
 * The largest write, and how many buffered bytes trigger one. A pipe holds 65,536 bytes. Writes of up to 4,096 bytes
 * are atomic, so the lines of processes that share a pipe do not mix.
 */
const WRITES = { alone: { maxWrite: 65_536, minLength: 61_440 }, shared: { maxWrite: 4_096, minLength: 3_584 } }
/** How long fewer bytes stay buffered, in milliseconds. */
const FLUSH_MS = 100

declare module 'sonic-boom' {
  interface SonicBoom {
    /** for `contentMode: 'buffer'`; missing in the package's types */
    write(bytes: Uint8Array): boolean
  }
}

/**
 * Buffered standard output. Buffered lines are flushed when the process exits, even after an error, but `kill -9` loses
 * them. `shared`: other processes write to it, too.
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
  // If the reader is gone (a closed terminal), the stream would retry forever and keep the process from exiting.
  stream.flushSync = () => {
    if (isWritable(STANDARD_OUTPUT)) flush()
  }
  stream.on('error', () => {
    stream.write = () => true
  })
  return {
    // bytes, because with strings the stream would measure its whole buffer again for each line
    write: (line: string) => {
      stream.write(Buffer.from(line))
    },
    flushSync: () => stream.flushSync(),
  }
}

/** Tries an empty write: it fails if any other would, and never blocks. */
const isWritable = (descriptor: number): boolean => {
  try {
    writeSync(descriptor, '')
    return true
  } catch {
    return false
  }
}

/**
 * The program's only logger: JSON lines (docs/metrics.md), or text for people. JSON escapes ASCII control characters in
 * a caller's input; `format` escapes the other characters that terminals interpret.
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
  // the command of an error of Redis can be its login
  const paths = ['req.headers.authorization', 'err.config', 'err.command', ...ROW_FIELDS.map((name) => `err.${name}`)]
  return pino({ level, redact: { paths, remove: true } }, formatted)
}

/** Logs an uncaught error before it ends the process: Node itself writes it only to standard error. */
export const logUncaught = (log: Logger): void => {
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    log.fatal({ err, origin }, 'uncaught error: the process ends'),
  )
}
