import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

import { messageOf } from '../domain/thrown.js'
import { StartError } from '../domain/start-error.js'

/** The user that the server runs as; undefined: the user of this process. */
export type ServerUser = { readonly name: string; readonly uid: number; readonly gid: number } | undefined

/**
 * PostgreSQL refuses to run as root, so root starts it as the existing user `postgres`, else `nobody`. Users are never
 * created.
 */
export const requireServerUser = async (): Promise<ServerUser> => {
  if (process.geteuid?.() !== 0) return undefined
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(passwd) ?? []
    if (Number(uid)) return { name, uid: Number(uid), gid: Number(gid) }
  }
  throw new StartError(
    'PostgreSQL refuses to run as root, and this system has neither a user "postgres" nor "nobody": ' +
      'start Linkgate as an ordinary user, or set DATABASE_URL',
  )
}

/**
 * Runs a program to its end as that user. Resolves with the reason if it failed, or undefined if its exit status is 0.
 */
export const runAs = async (
  user: ServerUser,
  command: string,
  args: readonly string[],
): Promise<string | undefined> => {
  try {
    const child = spawn(command, args, {
      ...(user && { uid: user.uid, gid: user.gid }),
      cwd: '/',
      // without our own PG* variables and locale
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      // Ctrl-C in our terminal must not reach it: we stop the server after our last statement
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [errors, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
    ])
    return code === 0 ? undefined : errors.trim() || `exit status ${String(code)}`
  } catch (error) {
    // for example, this system or its container does not let us switch to that user id
    return messageOf(error)
  }
}

/** True if that user may enter the folder, given its modes, access lists and mounts. */
export const canEnter = async (user: ServerUser, folder: string): Promise<boolean> =>
  (await runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])) === undefined
