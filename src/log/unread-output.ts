/** EPIPE: the reader of a pipe is gone (`… | head`). EIO: the terminal is closed. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO'])

/** Lets the process go on when nobody reads its standard output any more. Other errors of writing end it. */
export const endureUnreadOutput = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!NOBODY_READS.has(error.code)) throw error
  })
}
