import { Writable } from 'node:stream'

import type { Logger } from 'pino'

import type { Config } from '../../src/config.js'
import { createLogger } from '../../src/log/create-logger.js'
import { until } from './until.js'

/** The program's logger at level trace (or another), whose lines a test reads, and can wait for. */
export interface KeptLog {
  readonly log: Logger
  lines(): readonly string[]
  /** resolves with the first line, past or future, that holds this text, or matches */
  line(text: string | RegExp): Promise<string>
}

export const keepLog = (level: Config['logLevel'] = 'trace'): KeptLog => {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      lines.push(chunk.toString('utf8'))
      callback()
    },
  })
  const line = (text: string | RegExp): Promise<string> =>
    until(`a log line with ${text}`, () =>
      lines.find((each) => (typeof text === 'string' ? each.includes(text) : text.test(each))),
    )
  return { log: createLogger(level, stream), lines: () => lines, line }
}
