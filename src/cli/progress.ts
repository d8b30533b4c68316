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
    if (elapsed() >= AFTER_MS) process.stderr.write(`${CLEAR}${line} (${Math.round(elapsed() / 1_000)} s)`)
  }, EVERY_MS)
  try {
    return await work(show)
  } finally {
    clearInterval(timer)
    if (elapsed() >= AFTER_MS) process.stderr.write(CLEAR)
  }
}

/** Clears the line of progress before a message; the line is drawn again afterwards. */
export const clearProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write(CLEAR)
}

const bar = (part: number): string => {
  const filled = Math.round(part * WIDTH)
  return `[${'#'.repeat(filled).padEnd(WIDTH, '.')}] ${String(Math.floor(part * 100)).padStart(3)} %`
}
