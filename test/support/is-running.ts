import { readFile } from 'node:fs/promises'

/**
 * True while a process has this number. One that ended does not count: it has no command line any more, although the
 * system may still be clearing it away, or its parent may not have noticed.
 */
export const isRunning = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  if (process.platform !== 'linux') return true
  return (await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')) !== ''
}
