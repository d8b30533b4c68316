import { Writable } from 'node:stream'

import type { Logger } from 'pino'

import type { Config } from '../../src/config.js'
import { createLogger } from '../../src/log/create-logger.js'

/** The program's logger at level trace (or another), whose lines a test reads, and can wait for. */
export interface KeptLog {
  readonly log: Logger
  lines(): readonly string[]
  /** resolves with the first line, past or future, that holds this text, or matches */
  line(text: string | RegExp): Promise<string>
  /** resolves with the next line, whatever it says */
  next(): Promise<void>
}

export const keepLog = (level: Config['logLevel'] = 'trace'): KeptLog => {
  const lines: string[] = []
  let waiting: (() => void)[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      lines.push(chunk.toString('utf8'))
      for (const wake of waiting) wake()
      waiting = []
      callback()
    },
  })
  const next = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
    })
  const line = async (text: string | RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((each) => (typeof text === 'string' ? each.includes(text) : text.test(each)))
      if (found !== undefined) return found
      await next()
    }
  }
  return { log: createLogger(level, stream), lines: () => lines, line, next }
}
