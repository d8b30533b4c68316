import { readFile } from 'node:fs/promises'

/** True while a process has this number; one that ended and whose parent has not noticed does not count. */
export const isRunning = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return process.platform !== 'linux' || /\) [^ZX]/.test(stat)
}
