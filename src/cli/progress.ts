import { escapeInLine } from '../log/escape-invisible.js'
import { columnsOf } from './columns.js'

/** Sets the text of the line; `part` (0 to 1) adds a bar before it. */
type ShowProgress = (text: string, part?: number) => void

const AFTER_MS = 1_000
const EVERY_MS = 200
const WIDTH = 24
const CLEAR = '\r\u001b[K'

/** Shows a line on stderr while a command takes longer than a second, if stderr is a terminal. */
export const withProgress = async <T>(first: string, work: (show: ShowProgress) => Promise<T>): Promise<T> => {
  let line = first
  const show: ShowProgress = (text, part) => {
    line = part === undefined ? text : `${bar(part)} ${text}`
  }
  if (!process.stderr.isTTY) return work(show)
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const timer = setInterval(() => {
    if (elapsed() < AFTER_MS) return
    process.stderr.write(CLEAR + progressLine(line, elapsed() / 1_000, process.stderr.columns))
  }, EVERY_MS)
  try {
    return await work(show)
  } finally {
    clearInterval(timer)
    if (elapsed() >= AFTER_MS) process.stderr.write(CLEAR)
  }
}

/** The text, cut to what a terminal shows in one line: `CLEAR` clears no line before it. */
export const progressLine = (text: string, seconds: number, columns: number): string => {
  const room = columnsOf({ columns }) - 1
  const end = ` (${Math.round(seconds)} s)`
  return `${escapeInLine(text).slice(0, Math.max(room - end.length, 0))}${end}`.slice(0, room)
}

/** Clears the line of progress before a message; the line is drawn again afterwards. */
export const clearProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write(CLEAR)
}

const bar = (part: number): string => {
  const filled = Math.round(part * WIDTH)
  return `[${'#'.repeat(filled).padEnd(WIDTH, '.')}] ${String(Math.floor(part * 100)).padStart(3)} %`
}
