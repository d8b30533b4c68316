import { randomBytes } from 'node:crypto'
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { openEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded.js'
import { waitForLock } from '../../src/database/embedded/crash-safe-lock.js'
import { isAlive, markToText, ownMark, parseMark } from '../../src/database/embedded/process-mark.js'
import { isInUse } from '../../src/database/embedded/registrations.js'
import { makeTemporaryFolder } from './temporary-folder.js'

interface Running {
  readonly folder: string
  readonly postgres: EmbeddedPostgres
}

// nothing in it outlives the run, so nothing needs to reach the disk
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }

/** how long the end of a run waits for another run that sweeps */
const PATIENCE_MS = 30_000

const PREFIX = 'linkgate-cluster-'

/**
 * Which process a folder belongs to. It is deleted by that one, or when that one is gone: whoever opened the server
 * there meanwhile would fill the folder again.
 */
const OWNER = 'run'

let running: Promise<Running> | undefined

/**
 * Stops the servers of processes that are gone, and deletes their files: of this run's workers at its end, and of a run
 * that was killed before the next. Of two runs at once, one does.
 */
const removeAbandoned = async (patience: number): Promise<void> => {
  // a lock for each user: nobody can sweep what is another's
  const lock = await waitForLock(
    join(tmpdir(), `linkgate-test-locks-${process.getuid?.() ?? ''}`),
    'sweep',
    patience,
  ).catch(() => undefined)
  if (lock === undefined || !('release' in lock)) return
  try {
    await sweep()
  } finally {
    await lock.release()
  }
}

const sweep = async (): Promise<void> => {
  const folders = (await readdir(tmpdir()))
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
  // somebody else's folders are none of our business, and no reason not to run the tests
  await Promise.allSettled(
    folders.map(async (folder) => {
      const dataDir = join(folder, 'data')
      const made = await access(join(dataDir, 'postgres')).then(
        () => true,
        () => false,
      )
      const run = parseMark(await readFile(join(folder, OWNER), 'utf8').catch(() => ''))
      if (!made || (run && (await isAlive(run))) || (await isInUse(dataDir))) return
      // opening waits for whoever is only just starting there, who is registered by then
      await (await openEmbeddedPostgres({ dataDir, settings: SETTINGS })).leave()
      if (!(await isInUse(dataDir))) await rm(folder, { recursive: true, force: true })
    }),
  )
}

const start = async (): Promise<Running> => {
  await removeAbandoned(0)
  const folder = await makeTemporaryFolder(PREFIX)
  await writeFile(join(folder, OWNER), markToText(await ownMark()))
  try {
    return { folder, postgres: await openEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: SETTINGS }) }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * The PostgreSQL of this process, one for all its tests: started on first use, stopped and deleted at the end of the
 * run.
 */
export const cluster = async (): Promise<EmbeddedPostgres> => (await (running ??= start())).postgres

/**
 * A fresh database in the cluster, empty or a copy of another, and how its owner connects. It goes away with the
 * cluster.
 */
export const createDatabase = async (
  copied?: string,
): Promise<{ readonly name: string; readonly owner: ClientConfig }> => {
  const { owner } = await cluster()
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new Client(owner)
  await client.connect()
  try {
    await client.query(`create database ${name}${copied === undefined ? '' : ` template ${copied}`}`)
  } finally {
    await client.end()
  }
  return { name, owner: { ...owner, database: name } }
}

/**
 * Stops and deletes the clusters that the run used: this process's own, and those of workers, which have ended by now.
 */
export const removeClusters = async (): Promise<void> => {
  if (running) {
    const { folder, postgres } = await running
    running = undefined
    await postgres.leave()
    // the owner's mark goes last: without it another run would take what is still there for abandoned
    await rm(join(folder, 'data'), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
  await removeAbandoned(PATIENCE_MS)
}
