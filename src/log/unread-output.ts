/** EPIPE: the reader of a pipe is gone (`… | head`). EIO: the terminal is closed. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

/**
 * Lets the process go on when its standard output or error cannot be written, so that it ends as usual and leaves its
 * database in order. Unless just nobody reads it any more, the exit code is 1, and stderr has one line about stdout.
 */
export const endureUnreadOutput = (): void => {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (NOBODY_READS.has(code) || process.exitCode === 1) return
    process.exitCode = 1
    process.stderr.write(`linkgate: the output cannot be written: ${code ?? message}\n`)
  })
  process.stderr.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (!NOBODY_READS.has(code)) process.exitCode = 1
  })
}
