/** A remark that is no answer: one line on stderr. */
export const warn = (text: string): void => {
  process.stderr.write(`linkgate: warning: ${text.replaceAll(/\s*\n\s*/g, ' ')}\n`)
}

export interface Progress {
  /** what is being done, and how much of it (0 to 1) */
  tell(what: string, part?: number): void
}

const AFTER_MS = 1_000
const EVERY_MS = 200

/**
 * Shows one line on stderr while a command takes longer than a second, and wipes it at the end. Only on a terminal: a
 * log has no use for it.
 */
export const withProgress = async <T>(first: string, work: (progress: Progress) => Promise<T>): Promise<T> => {
  let line = first
  const started = performance.now()
  const tell = (what: string, part?: number) => {
    line = part === undefined ? what : `${bar(part)} ${what}`
  }
  if (!process.stderr.isTTY) return work({ tell })
  const timer = setInterval(() => {
    const elapsed = performance.now() - started
    if (elapsed >= AFTER_MS) process.stderr.write(`\r\u001b[K${line} (${Math.round(elapsed / 1_000)} s)`)
  }, EVERY_MS)
  try {
    return await work({ tell })
  } finally {
    clearInterval(timer)
    if (performance.now() - started >= AFTER_MS) process.stderr.write('\r\u001b[K')
  }
}

const WIDTH = 24

const bar = (part: number): string => {
  const whole = Math.min(1, Math.max(0, part))
  const filled = Math.round(whole * WIDTH)
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${String(Math.floor(whole * 100)).padStart(3)} %`
}
