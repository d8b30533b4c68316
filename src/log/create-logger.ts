import { writeSync } from 'node:fs'

import { pino, type DestinationStream, type Logger } from 'pino'

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
/** The most buffered bytes, while the reader stalls or the disk is full. Lines beyond that are lost. */
const MOST_BUFFERED = 8 * 1_048_576

declare module 'sonic-boom' {
  interface SonicBoom {
    /** for `contentMode: 'buffer'`; missing in the package's types */
    write(bytes: Uint8Array): boolean
  }
}

/** Where log lines go. */
interface LogDestination extends DestinationStream {
  flushSync?(): void
  /** `tell` is called once lines that were lost are followed by others. */
  onLost?(tell: (lines: number) => void): void
}

/**
 * Buffered standard output. Buffered lines are flushed when the process exits, even after an error, but `kill -9` loses
 * them. What could not be written is tried again until it can be. `shared`: other processes write to it, too.
 */
export const standardOutput = ({ shared }: { readonly shared: boolean }): LogDestination => {
  const stream = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    contentMode: 'buffer',
    periodicFlush: FLUSH_MS,
    maxLength: MOST_BUFFERED,
    ...(shared ? WRITES.shared : WRITES.alone),
  })
  const flush = stream.flushSync.bind(stream)
  let isFailing = false
  let lost = 0
  let tellLost: (lines: number) => void = () => undefined
  // If the reader is gone (a closed terminal) or the disk is full, the stream would retry forever and keep the process
  // from exiting.
  stream.flushSync = () => {
    if (!isFailing && isWritable(STANDARD_OUTPUT)) flush()
  }
  stream.on('error', () => {
    isFailing = true
  })
  stream.on('drop', () => {
    lost += 1
  })
  stream.on('write', () => {
    isFailing = false
    if (lost === 0) return
    const lines = lost
    lost = 0
    tellLost(lines)
  })
  return {
    // bytes, because with strings the stream would measure its whole buffer again for each line
    write: (line: string) => {
      stream.write(Buffer.from(line))
    },
    flushSync: () => stream.flushSync(),
    onLost: (tell) => {
      tellLost = tell
    },
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
  destination: LogDestination,
  format: LineFormat = escapeInvisible,
): Logger => {
  const formatted = {
    write: (line: string) => destination.write(format(line)),
    // pino calls it before a fatal error ends the process
    flushSync: () => destination.flushSync?.(),
  }
  // the command of an error of Redis can be its login
  const paths = ['req.headers.authorization', 'err.config', 'err.command', ...ROW_FIELDS.map((name) => `err.${name}`)]
  const log = pino({ level, redact: { paths, remove: true } }, formatted)
  destination.onLost?.((lines) => log.warn({ lines }, 'log lines were lost: they could not be written for too long'))
  return log
}

/** Logs an uncaught error before it ends the process: Node itself writes it only to standard error. */
export const logUncaught = (log: Logger): void => {
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    log.fatal({ err, origin }, 'uncaught error: the process ends'),
  )
}
