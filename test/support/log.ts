import { Writable } from 'node:stream'

import { pino } from 'pino'
import type { Logger } from 'pino'

/** A logger at level trace whose lines a test reads, and can wait for. */
export interface KeptLog {
  readonly log: Logger
  lines(): readonly string[]
  /** resolves with the first line, past or future, that holds this text */
  line(text: string): Promise<string>
}

export const keepLog = (): KeptLog => {
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
  const line = async (text: string): Promise<string> => {
    for (;;) {
      const found = lines.find((each) => each.includes(text))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => { waiting.push(resolve) })
    }
  }
  return { log: pino({ level: 'trace' }, stream), lines: () => lines, line }
}
