import { chmod, chown, mkdir, mkdtemp, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { StartError } from '../domain/start-error.js'
import { unlessMissing, writeDurably } from '../files.js'
import { canEnter, requireServerUser, type ServerUser } from './server-user.js'

/** Where the server keeps its files, and the user it runs as. */
export interface Home {
  readonly folder: string
  readonly cluster: string
  readonly clusterExists: boolean
  readonly user: ServerUser
}

/** A folder that survives reboots, and that every user may pass through. */
const ELSEWHERE = '/var/lib/linkgate'

const requireOwner = async (cluster: string, uid: number, gid: number): Promise<ServerUser> => {
  const refusal = (reason: string) => new StartError(`the database in ${cluster} belongs to ${reason}`)
  const user = await requireServerUser()
  if (!user) {
    if (uid === process.geteuid?.()) return undefined
    throw refusal(`another user (${uid}): start Linkgate as the user who created it`)
  }
  if (uid === 0) throw refusal(`root, as which PostgreSQL does not run: chown -R ${user.name} ${cluster}`)
  return { name: String(uid), uid, gid }
}

/**
 * Finds or chooses the server's home: the data folder itself, unless we are root and the server's user cannot enter it.
 * The choice is stored in the file `postgres-location`. Call it under the lock.
 */
export const settleHome = async (dataDir: string, log: (line: string) => void): Promise<Home> => {
  const pointer = join(dataDir, 'postgres-location')
  const elsewhere = (await unlessMissing(readFile(pointer, 'utf8'), '')).trim()
  const homeIn = (folder: string) => ({ folder, cluster: join(folder, 'postgres') })
  const home = homeIn(elsewhere || dataDir)

  const found = await unlessMissing(stat(home.cluster), undefined)
  if (found) return { ...home, clusterExists: true, user: await requireOwner(home.cluster, found.uid, found.gid) }
  if (elsewhere && !(await unlessMissing(stat(elsewhere), undefined))) {
    // never start with an empty database: the data may only be unmounted
    const advice = `bring it back, or delete ${pointer} to begin with an empty one`
    throw new StartError(`the database of ${dataDir} was kept in ${elsewhere}, which is gone: ${advice}`)
  }
  const user = await requireServerUser()
  if (!user || elsewhere || (await canEnter(user, dataDir))) return { ...home, clusterExists: false, user }

  await mkdir(ELSEWHERE, { recursive: true })
  await chmod(ELSEWHERE, 0o755)
  // a unique name, so that a data folder that is deleted and created again does not find the old rows
  const folder = await mkdtemp(join(ELSEWHERE, `${basename(dataDir)}-`))
  await chown(folder, 0, user.gid)
  await chmod(folder, 0o710)
  await writeDurably(pointer, `${folder}\n`, 0o644)
  log(`PostgreSQL's user "${user.name}" cannot enter ${dataDir}: it keeps its files in ${folder}`)
  return { ...homeIn(folder), clusterExists: false, user }
}
