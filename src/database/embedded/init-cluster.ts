import { chown, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../domain/start-error.js'
import { syncFolder } from './durable-file.js'
import { makeServerFolder, type Home } from './home.js'
import type { Runtime } from './runtime.js'
import { runAs } from './server-user.js'

const DRAFT = 'init-'

/** Deletes what an interrupted first start left. Call it under the lock. */
const sweepDrafts = async (folder: string): Promise<void> => {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(DRAFT))
  await Promise.all(drafts.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

/**
 * Makes an empty cluster: UTF-8, an order of text that no update of the system's libraries changes, checksums, and
 * passwords (SCRAM) for every connection. It appears in its place by one rename, so a cluster that is there is whole.
 */
export const initCluster = async (home: Home, runtime: Runtime, password: string, durable: boolean): Promise<void> => {
  await sweepDrafts(home.folder)
  const draft = await makeServerFolder(home.folder, DRAFT, home.user)
  try {
    const passwordFile = join(draft, 'password')
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' })
    if (home.user) await chown(passwordFile, home.user.uid, home.user.gid)
    const made = await runAs(home.user, runtime.initdb, [
      `--pgdata=${join(draft, 'cluster')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth-local=scram-sha-256',
      '--auth-host=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(durable ? [] : ['--no-sync']),
    ])
    if (!made.ok) {
      const reason = made.output.split('\n').find((line) => /error|fatal/i.test(line)) ?? made.output.slice(-300)
      throw new StartError(`the database could not be made in ${home.folder}: ${reason}`)
    }
    await rename(join(draft, 'cluster'), home.cluster)
    if (durable) await syncFolder(home.folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** `StartError` where another major version of PostgreSQL made the cluster: its files cannot be read by this one. */
export const requireSameMajor = async (home: Home, runtime: Runtime): Promise<void> => {
  const made = (await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (made === runtime.major) return
  throw new StartError(
    made === ''
      ? `${home.cluster} is not a PostgreSQL database (it has no PG_VERSION): restore it, or set another DATA_DIR`
      : `the database in ${home.cluster} was made by PostgreSQL ${made} and cannot be opened by ${runtime.major}: ` +
          `dump it with ${made} and restore it, or set DATA_DIR to another folder`,
  )
}
