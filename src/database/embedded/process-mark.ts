import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** One process, and not a later one that was given the same number. */
export interface ProcessMark {
  readonly pid: number
  /** when it began, in the system's own words: compared, never read; empty where the system does not tell */
  readonly began: string
}

const signalReaches = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, but it is somebody else's
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const askPs = async (pid: number, column: string): Promise<string> => {
  try {
    const { stdout } = await execute('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    })
    return stdout.trim()
  } catch {
    return ''
  }
}

const linuxBegan = async (pid: number): Promise<string | undefined> => {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''),
    readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => ''),
  ])
  // the name in brackets may hold blanks and brackets itself, so count from its end: state is field 3, starttime 22
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, ticks] = [fields[0], fields[19]]
  if (state === undefined || ticks === undefined) return ''
  return state === 'Z' || state === 'X' ? undefined : `${boot.trim()}:${ticks}`
}

/** When a process began; undefined where there is no such process (one that ended and waits for its parent is none). */
const beganOf = async (pid: number): Promise<string | undefined> => {
  if (!signalReaches(pid)) return undefined
  return process.platform === 'linux' ? linuxBegan(pid) : askPs(pid, 'lstart')
}

/** The mark of a process; undefined where it does not run. */
export const markOf = async (pid: number): Promise<ProcessMark | undefined> => {
  const began = await beganOf(pid)
  return began === undefined ? undefined : { pid, began }
}

/** The mark of this process. */
export const ownMark = async (): Promise<ProcessMark> => (await markOf(process.pid)) ?? { pid: process.pid, began: '' }

/** True while exactly that process runs. Once false, false for ever, also when its number is used again. */
export const isAlive = async ({ pid, began }: ProcessMark): Promise<boolean> => {
  const now = await beganOf(pid)
  return now !== undefined && (now === '' || began === '' || now === began)
}

/** True while any process has this number. */
export const isRunning = async (pid: number): Promise<boolean> => (await beganOf(pid)) !== undefined

/**
 * True where the process works in `folder` or was given it on its command line; false where it certainly does not;
 * undefined where the system does not tell.
 */
export const worksIn = async (pid: number, folder: string): Promise<boolean | undefined> => {
  const command =
    process.platform === 'linux'
      ? (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim()
      : await askPs(pid, 'command')
  if (command.includes(folder)) return true
  // survives a renamed folder, which the command line does not
  const place = process.platform === 'linux' ? await readlink(`/proc/${pid}/cwd`).catch(() => '') : ''
  if (place === folder) return true
  return command === '' ? undefined : false
}

/** Writes a mark as the content of a small file. */
export const markToText = (mark: ProcessMark): string => `${mark.pid} ${mark.began}\n`

/** Reads it back; undefined where the text is no mark. */
export const parseMark = (text: string): ProcessMark | undefined => {
  const match = /^([1-9]\d*) (.*)\n$/.exec(text)
  return match ? { pid: Number(match[1]), began: match[2] ?? '' } : undefined
}
