import { writeSync } from 'node:fs'

import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

import type { Config } from '../config.js'
import { escapeInvisible } from './escape-invisible.js'

/** Fields of a PostgreSQL error that may hold a row or a parameter. */
const OF_ROWS = ['detail', 'where', 'hint', 'internalQuery'] as const

const STANDARD_OUTPUT = 1

/** So many bytes at the most are written at once, and so many are enough to be. */
interface WriteSize {
  readonly most: number
  readonly enough: number
}

const ALONE: WriteSize = { most: 16_384, enough: 15_360 }
/** A pipe takes 4,096 bytes whole: where several processes share it, no line stands within another's. */
const SHARED: WriteSize = { most: 4_096, enough: 3_584 }
/** Fewer bytes wait for others at most so many milliseconds. */
const FLUSH_MS = 100

declare module 'sonic-boom' {
  interface SonicBoom {
    /** what `contentMode: 'buffer'` takes; the package's own types leave it out */
    write(bytes: Uint8Array): boolean
  }
}

/**
 * Where the lines go: standard output, several in one write, beside the requests. What is still in memory when the
 * process exits is written then, also where an error ends it; `kill -9` loses it. `shared` where other processes write
 * there, too.
 */
export const standardOutput = ({ shared }: { readonly shared: boolean }) => {
  const { most, enough } = shared ? SHARED : ALONE
  const stream = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    contentMode: 'buffer',
    minLength: enough,
    maxWrite: most,
    periodicFlush: FLUSH_MS,
  })
  const flush = stream.flushSync.bind(stream)
  // Where nobody reads any more, such as at a terminal that was closed, the stream would try again for ever as the
  // process exits.
  stream.flushSync = () => {
    if (takesWrites(STANDARD_OUTPUT)) flush()
  }
  stream.on('error', () => {
    stream.write = () => true
  })
  // bytes: of a text the stream would measure again, at each line, all that it holds
  return {
    write: (line: string) => {
      stream.write(Buffer.from(line))
    },
    flushSync: () => stream.flushSync(),
  }
}

/** An empty write fails where any other would, and is not waited for. */
const takesWrites = (descriptor: number): boolean => {
  try {
    writeSync(descriptor, '')
    return true
  } catch {
    return false
  }
}

/**
 * The program's one logger: JSON lines (docs/metrics.md). Nothing that a caller sent comes into a line raw: JSON
 * escapes the ASCII control characters, and the rest of what a terminal obeys is escaped on the way out.
 */
export const createLogger = (
  level: Config['logLevel'],
  destination: DestinationStream & { flushSync?(): void },
): Logger =>
  pino(
    {
      level,
      redact: {
        paths: ['req.headers.authorization', 'err.config', ...OF_ROWS.map((name) => `err.${name}`)],
        remove: true,
      },
    },
    {
      write: (line) => destination.write(escapeInvisible(line)),
      // pino asks for it before a fatal error ends the process
      ...(destination.flushSync ? { flushSync: () => destination.flushSync?.() } : {}),
    },
  )
