import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StartError } from '../../domain/start-error.js'
import { writeDurably } from './durable-file.js'
import { errorCode, unlessMissing } from './errno.js'
import { canWriteIn, isRoot, requireServerUser, type ServerUser } from './server-user.js'

/** Where the server keeps its files, and who it runs as (undefined: the user of this process). */
export interface Home {
  readonly folder: string
  readonly cluster: string
  readonly user: ServerUser | undefined
  readonly clusterExists: boolean
}

const pointerOf = (dataDir: string): string => join(dataDir, 'postgres-location')

/** A new folder that belongs to the server's user, inside `parent`. */
export const makeServerFolder = async (
  parent: string,
  prefix: string,
  user: ServerUser | undefined,
): Promise<string> => {
  const folder = await mkdtemp(join(parent, prefix))
  if (user) await chown(folder, user.uid, user.gid)
  return folder
}

const isPassable = async (folder: string, user: ServerUser): Promise<boolean> => {
  const probe = await makeServerFolder(folder, 'probe-', user)
  try {
    return await canWriteIn(user, probe)
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}

/** Makes a folder that survives reboots and that the server's user may pass through; undefined where that fails. */
const prepareElsewhere = async (place: string, dataDir: string, user: ServerUser): Promise<string | undefined> => {
  try {
    await mkdir(place, { mode: 0o755 }).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
    const found = await lstat(place)
    // in a folder that everybody may write to, somebody else may have been first
    if (found.uid !== 0 || !found.isDirectory()) return undefined
    await chmod(place, 0o755)
    // a name of its own: a data folder that was deleted and made again must not find the old one's rows
    const folder = await mkdtemp(join(place, `${basename(dataDir)}-`))
    await chown(folder, 0, user.gid)
    await chmod(folder, 0o710)
    if (await isPassable(folder, user)) return folder
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
  return undefined
}

const chooseAsRoot = async (dataDir: string, user: ServerUser, log: (line: string) => void): Promise<string> => {
  if (await isPassable(dataDir, user)) return dataDir
  for (const place of ['/var/lib/linkgate', '/var/tmp/linkgate']) {
    const folder = await prepareElsewhere(place, dataDir, user)
    if (folder === undefined) continue
    log(
      `PostgreSQL does not run as root, and its user "${user.name}" cannot reach ${dataDir}: ` +
        `it keeps its files in ${folder}`,
    )
    await writeDurably(pointerOf(dataDir), `${folder}\n`, 0o644)
    return folder
  }
  throw new StartError(
    `PostgreSQL does not run as root, and its user "${user.name}" can reach neither ${dataDir} nor ` +
      '/var/lib/linkgate: start Linkgate as an ordinary user, or set DATABASE_URL',
  )
}

const requireOwner = async (cluster: string, uid: number, gid: number): Promise<ServerUser | undefined> => {
  if (!isRoot()) {
    if (uid === process.geteuid?.()) return undefined
    throw new StartError(
      `the database in ${cluster} belongs to another user (${uid}): start Linkgate as the user who made it`,
    )
  }
  if (uid === 0) {
    const user = await requireServerUser()
    throw new StartError(
      `the database in ${cluster} belongs to root, as which PostgreSQL does not run: ` +
        `chown -R ${user.name} ${cluster}`,
    )
  }
  const user = { name: String(uid), uid, gid }
  if (await canWriteIn(user, cluster)) return user
  throw new StartError(
    `the database in ${cluster} belongs to user ${uid}, who cannot reach it: ` +
      'check the rights of the folders above it',
  )
}

/**
 * Finds the server's home, or chooses one: the data folder itself, except where we are root and the user that the
 * server runs as cannot get there. The choice is kept in a pointer file. Call it under the lock.
 */
export const settleHome = async (dataDir: string, log: (line: string) => void): Promise<Home> => {
  const pointer = (await unlessMissing(readFile(pointerOf(dataDir), 'utf8'), '')).trim()
  const known = pointer || dataDir
  const cluster = join(known, 'postgres')
  const found = await unlessMissing(stat(cluster), undefined)
  if (found) {
    const user = await requireOwner(cluster, found.uid, found.gid)
    return { folder: known, cluster, clusterExists: true, user }
  }
  if (pointer && !(await unlessMissing(stat(pointer), undefined))) {
    // never begin anew beside data that somebody may only have forgotten to mount
    throw new StartError(
      `the database of ${dataDir} was kept in ${pointer}, which is gone: bring it back, or delete ` +
        `${pointerOf(dataDir)} to begin with an empty one`,
    )
  }
  const user = isRoot() ? await requireServerUser() : undefined
  const folder = pointer || !user ? known : await chooseAsRoot(dataDir, user, log)
  return { folder, cluster: join(folder, 'postgres'), clusterExists: false, user }
}
