import { randomBytes } from 'node:crypto'
import { access, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import {
  claimDataDir,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.js'
import { withPool, type AskDatabase } from './bare-database.js'
import { openMigratedServer } from './migrated-server.js'
import { RUN_PREFIX, temporaryRoot } from './run-folder.js'
import { makeTemporaryFolder } from './temporary-folder.js'

interface Running {
  readonly folder: string
  readonly postgres: EmbeddedPostgres
  /** as the superuser, in no database that a test has */
  readonly ask: AskDatabase
}

const SETTINGS = {
  // nothing in it outlives the run, so nothing needs to reach the disk
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // hashing so often that a stolen hash cannot be guessed is two fifths of what a connection costs its client
  scram_iterations: '1',
}

/** Passwords are checked, but sent in plain text over a socket of this machine: SCRAM makes each connection slower. */
const LOGINS = 'local all all password\nlocal replication all password\n'

const PREFIX = 'linkgate-server-'

let running: Promise<Running> | undefined
const run = (): Promise<Running> => (running ??= start())
const databases = new Set<string>()

/**
 * Stops the servers of processes that are gone, and deletes their files: of this run's workers at its end, and of a run
 * that was killed before the next. The process that made a folder claims it, and then the one that deletes it.
 */
const removeAbandoned = async (): Promise<void> => {
  const names = await readdir(temporaryRoot())
  const foldersOf = (prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).map((name) => join(temporaryRoot(), name))
  const stopped = foldersOf(PREFIX).map(async (folder) => {
    const dataDir = join(folder, 'data')
    await access(join(dataDir, 'postgres'))
    await claimDataDir(folder)
    await (await openEmbeddedPostgres({ dataDir, settings: SETTINGS })).leave()
    await rm(folder, { recursive: true, force: true })
  })
  const deleted = foldersOf(RUN_PREFIX).map(async (folder) => {
    // claimed before anything is in it
    await access(join(folder, 'pattern'))
    await claimDataDir(folder)
    await rm(folder, { recursive: true, force: true })
  })
  // a folder of a live process or of another user is no reason not to run the tests
  await Promise.allSettled([...stopped, ...deleted])
}

const start = async (): Promise<Running> => {
  await removeAbandoned()
  const folder = await makeTemporaryFolder(PREFIX)
  await claimDataDir(folder)
  try {
    const logins = join(folder, 'pg_hba.conf')
    await writeFile(logins, LOGINS)
    const settings = { ...SETTINGS, hba_file: logins }
    const postgres = await openMigratedServer({ dataDir: join(folder, 'data'), settings })
    // nobody connects to the migrated database: what somebody is connected to cannot be copied
    const owner = { ...postgres.owner, database: 'postgres' }
    return { folder, postgres: { ...postgres, owner }, ask: withPool(owner) }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * The PostgreSQL of this process, one for all its tests: started on first use, stopped and deleted at the end of the
 * run.
 */
export const cluster = async (): Promise<EmbeddedPostgres> => (await run()).postgres

/** The database of each cluster with the schema and nothing in it. */
export const MIGRATED = 'linkgate'

interface CreatedDatabase {
  readonly name: string
  readonly owner: ClientConfig
}

/** A copy of a database of the cluster, which stays as long as the cluster does, and how its owner connects. */
export const copyDatabase = async (template: string): Promise<CreatedDatabase> => {
  const name = `test_${randomBytes(8).toString('hex')}`
  // copied as files, since what is kept in memory anyway needs no log of the copy
  const { ask, postgres } = await run()
  await ask(`create database ${name} template ${template} strategy file_copy`)
  return { name, owner: { ...postgres.owner, database: name } }
}

/** The same, an empty one unless told otherwise. It goes away at the end of the file (root hooks). */
export const createDatabase = async (template = 'template1'): Promise<CreatedDatabase> => {
  const created = await copyDatabase(template)
  databases.add(created.name)
  return created
}

/** Drops the databases that were made in this process until now, whoever is still connected. */
export const dropDatabases = async (): Promise<void> => {
  if (databases.size === 0) return
  const { ask } = await run()
  for (const name of databases) {
    await ask(`drop database if exists ${name} with (force)`)
    databases.delete(name)
  }
}

/**
 * Stops and deletes the clusters that the run used: this process's own, and those of workers, which have ended by now.
 */
export const removeClusters = async (): Promise<void> => {
  if (running) {
    const { folder, postgres } = await running
    running = undefined
    await postgres.leave()
    // the claim goes last: without it another run would take what is still there for abandoned
    await rm(join(folder, 'data'), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
  await removeAbandoned()
}
