import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

import { errorCode } from '../domain/thrown.js'

const isLinux = process.platform === 'linux'

// What is read of a process is empty if it has ended, or is hidden from this user. Every other error, such as that no
// file descriptor is left, is thrown: a process that runs must not count as ended.
const UNSEEN: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

const proc = (file: string): Promise<string> =>
  readFile(`/proc/${file}`, 'utf8').catch((error: unknown) => {
    if (UNSEEN.has(errorCode(error))) return ''
    throw error
  })

const ps = (pid: number, column: string): Promise<string> =>
  promisify(execFile)('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  }).then(
    ({ stdout }) => stdout.trim(),
    (error: unknown) => {
      // it ran, and its exit status says that there is no such process
      if (errorCode(error) === undefined) return ''
      throw error
    },
  )

/** When a process started, as the system reports it; empty once it has ended, even while it is a zombie. */
const startOf = async (pid: number): Promise<string> => {
  if (!isLinux) return ps(pid, 'lstart')
  const [stat, boot] = await Promise.all([proc(`${pid}/stat`), proc('sys/kernel/random/boot_id')])
  // the name in parentheses may contain spaces and parentheses; the state is field 3, the start time field 22
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 'ZX'.includes(state) ? '' : `${boot.trim()}:${fields[18]}`
}

/** Identifies this process, even if a later one gets the same id. */
export const ownMark = async (): Promise<string> => `${process.pid} ${await startOf(process.pid)}`

/** The process id in a mark. */
export const pidOf = (mark: string): number => Number(mark.split(' ')[0])

/** True while the process with this mark runs. */
export const isAlive = async (mark: string): Promise<boolean> => {
  const start = await startOf(pidOf(mark))
  return start !== '' && mark === `${pidOf(mark)} ${start}`
}

/** The command line of a process, separated by spaces; without arguments once it has ended, even as a zombie. */
export const commandOf = async (pid: number): Promise<string> =>
  isLinux ? (await proc(`${pid}/cmdline`)).replaceAll('\0', ' ') : ps(pid, 'command')
