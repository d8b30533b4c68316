import { access, chmod, chown, constants, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import { errorCode } from '../domain/thrown.js'
import { StartError } from '../domain/start-error.js'
import { unlessMissing } from '../files.js'
import { takeLock, type Lock } from './lock.js'
import { requireServerUser } from './server-user.js'

/** Creates the data folder if it is missing, and returns its real path. `StartError` if it cannot be used. */
export const requireDataDir = async (dataDir: string): Promise<string> => {
  try {
    await mkdir(dirname(resolve(dataDir)), { recursive: true })
    // not recursive: under a folder that rejects new ones (/proc), Node.js would retry forever
    await mkdir(dataDir).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
    const folder = await realpath(dataDir)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    // Changes only a new or empty folder: DATA_DIR may name one that others use, too.
    if ((await stat(folder)).uid === process.geteuid?.() && (await readdir(folder)).length === 0) {
      const user = await requireServerUser()
      // the server's group may only pass through to its own folder
      if (user) await chown(folder, 0, user.gid)
      await chmod(folder, user ? 0o710 : 0o700)
    }
    return folder
  } catch (error) {
    if (error instanceof StartError || !(error instanceof Error)) throw error
    const what = `the data folder ${resolve(dataDir)} cannot be made or written by this user (${error.message})`
    throw new StartError(`${what}: set DATA_DIR to a folder of your own`, { cause: error })
  }
}

/** True if a database was created in the data folder or, as root, elsewhere. Creates nothing. */
export const hasDatabase = async (dataDir: string): Promise<boolean> =>
  (
    await Promise.all(
      ['postgres', 'postgres-location'].map((name) => unlessMissing(stat(join(dataDir, name)), undefined)),
    )
  ).some((found) => found !== undefined)

/**
 * Claims the data folder for this serving process, until `release` or the end of the process, however it ends.
 * `StartError` naming the other process if a live one serves it.
 */
export const claimDataDir = async (dataDir: string): Promise<Lock> => {
  const folder = await requireDataDir(dataDir)
  const claim = await takeLock(join(folder, 'locks', 'serve'))
  if (typeof claim !== 'number') return claim
  const advice = 'stop it, or set DATA_DIR to another folder'
  throw new StartError(`another Linkgate (process ${claim}) already serves the data folder ${folder}: ${advice}`)
}
