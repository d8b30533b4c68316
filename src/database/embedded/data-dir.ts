import { access, chmod, chown, constants, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../../domain/start-error.js'
import { tryLock } from './crash-safe-lock.js'
import { errorCode } from './errno.js'
import { isRoot, requireServerUser } from './server-user.js'

/** Where the lock files of a data folder are. */
export const locksOf = (dataDir: string): string => join(dataDir, 'locks')

const ADVICE = 'set DATA_DIR to a folder of your own'

const settle = async (folder: string): Promise<string> => {
  await mkdir(dirname(folder), { recursive: true })
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error) => {
      if (errorCode(error) === 'EEXIST') return false
      throw error
    },
  )
  const real = await realpath(folder)
  const found = await stat(real)
  if (!found.isDirectory()) throw new StartError(`the data folder ${folder} is not a folder: ${ADVICE}`)
  await access(real, constants.R_OK | constants.W_OK | constants.X_OK)
  // Only a folder that is new or empty is ours to change: DATA_DIR may name a folder that others use too.
  if (made || (found.uid === process.geteuid?.() && (await readdir(real)).length === 0)) {
    if (isRoot()) {
      // the server's group may pass through to its own folder, and see nothing else
      await chown(real, 0, (await requireServerUser()).gid)
      await chmod(real, 0o710)
    } else await chmod(real, 0o700)
  }
  return real
}

/**
 * Makes the data folder where it is missing, for us alone, and returns its real path. `StartError` where it cannot be
 * used.
 */
export const requireDataDir = async (dataDir: string): Promise<string> => {
  const folder = resolve(dataDir)
  try {
    return await settle(folder)
  } catch (error) {
    if (error instanceof StartError) throw error
    const code = errorCode(error) ?? String(error)
    const message = `the data folder ${folder} cannot be made or written by this user (${code}): ${ADVICE}`
    throw new StartError(message, { cause: error })
  }
}

/**
 * Claims the data folder for the one process that serves it, until `release` or the end of the process, however it
 * ends. `StartError` naming the other process where a live one serves it.
 */
export const claimDataDir = async (dataDir: string): Promise<{ release(): Promise<void> }> => {
  const folder = await requireDataDir(dataDir)
  const claim = await tryLock(locksOf(folder), 'serve')
  if ('release' in claim) return claim
  throw new StartError(
    `another Linkgate (process ${claim.holder.pid}) already serves the data folder ${folder}: ` +
      'stop it, or set DATA_DIR to another folder',
  )
}
