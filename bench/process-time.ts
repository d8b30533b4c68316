import { readFile } from 'node:fs/promises'

const TICKS_A_SECOND = 100

/** The fields of /proc/PID/stat behind the command's name; none where the process has just ended. */
const fieldsOf = async (pid: number): Promise<readonly string[]> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.split(') ')[1]?.split(' ') ?? []
}

export const parentOf = async (pid: number): Promise<number> => Number((await fieldsOf(pid))[1])

export const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text
    .split(' ')
    .map(Number)
    .filter((child) => child > 0)
}

/** Processor time of a process, of its children, and of those of them that have ended, in seconds. */
export const cpuSecondsOf = async (pid: number): Promise<number> => {
  const own = async (process: number, fields: readonly number[]) => {
    const all = await fieldsOf(process)
    return fields.reduce((sum, field) => sum + Number(all[field] ?? 0), 0) / TICKS_A_SECOND
  }
  // user and system time; with the parent those of children that it has waited for
  const times = [own(pid, [11, 12, 13, 14]), ...(await childrenOf(pid)).map((child) => own(child, [11, 12]))]
  return (await Promise.all(times)).reduce((sum, each) => sum + each, 0)
}
