import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { StartError } from '../../domain/start-error.js'

/** Who the server runs as, where that is not the user of this process. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface Outcome {
  readonly ok: boolean
  readonly output: string
}

/** What the server's programs see of the environment: none of the PG* variables or locales of whoever starts us. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export const isRoot = (): boolean => process.geteuid?.() === 0

/** PostgreSQL refuses to run as root: the existing user `postgres`, else `nobody`. Users are never created. */
export const requireServerUser = async (): Promise<ServerUser> => {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const line = lines.find((fields) => fields[0] === name)
    const [uid, gid] = [Number(line?.[2]), Number(line?.[3])]
    if (line && Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0) return { name, uid, gid }
  }
  throw new StartError(
    'PostgreSQL refuses to run as root, and this system has neither a user "postgres" nor "nobody": ' +
      'start Linkgate as an ordinary user, or set DATABASE_URL',
  )
}

/** Runs a program to its end as that user (undefined: our own). Never rejects: `ok` is exit status 0. */
export const runAs = (user: ServerUser | undefined, command: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const identity = user ? { uid: user.uid, gid: user.gid } : {}
    const options = { ...identity, cwd: '/', env: SERVER_ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 }
    try {
      execFile(command, [...args], options, (error, stdout, stderr) => {
        resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') })
      })
    } catch (error) {
      // a user id that this system, or its container, does not let us become
      resolve({ ok: false, output: error instanceof Error ? error.message : String(error) })
    }
  })

/** True where that user can enter the folder and write in it: what modes, access lists and mounts together allow. */
export const canWriteIn = async (user: ServerUser | undefined, folder: string): Promise<boolean> =>
  (await runAs(user, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder])).ok

/** Sends a signal with that user's rights, so that a wrong number can reach nobody else's process. */
export const signalAs = async (user: ServerUser | undefined, signal: 'INT', pid: number): Promise<void> => {
  await runAs(user, '/bin/sh', ['-c', 'kill "-$1" "$2"', 'sh', signal, String(pid)])
}
