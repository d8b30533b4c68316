import { execFile } from 'node:child_process'
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Client } from 'pg'

import { openEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'
import { isRunning } from './is-running.js'
import { openMigratedServer } from './migrated-server.js'
import { makeTemporaryFolder } from './temporary-folder.js'
import { untilGone } from './workers.js'

// nothing in them outlives the test, so nothing needs to reach the disk
const SETTINGS = { fsync: 'off', autovacuum: 'off' }

/** A migrated PostgreSQL of its own, and a streaming replica of it. */
export interface Pair {
  readonly primary: EmbeddedPostgres
  readonly standby: EmbeddedPostgres
  /** Ends the standby as a crash would; resolves when it is gone. */
  killStandby(): Promise<void>
  /** Starts it again; it has the same address. */
  startStandby(): Promise<void>
  stop(): Promise<void>
}

/** Copies the files of a running cluster the way `pg_basebackup` does, which the embedded PostgreSQL does not bring. */
const copyCluster = async (primary: EmbeddedPostgres, from: string, to: string): Promise<void> => {
  const client = new Client(primary.owner)
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    await promisify(execFile)('cp', ['-a', from, to])
    const {
      rows: [stopped],
    } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await rm(join(to, 'postmaster.pid'), { force: true })
    await writeFile(join(to, 'backup_label'), stopped?.labelfile ?? '')
    await writeFile(join(to, 'standby.signal'), '')
  } finally {
    await client.end()
  }
}

export const startPair = async (): Promise<Pair> => {
  const [folder, other] = [join(await makeTemporaryFolder(), 'data'), join(await makeTemporaryFolder(), 'data')]
  const primary = await openMigratedServer({ dataDir: folder, settings: SETTINGS })
  const [cluster, copy] = [join(folder, 'postgres'), join(other, 'postgres')]
  const { uid, gid } = await stat(cluster)
  await mkdir(other, { mode: 0o711 })
  await copyCluster(primary, cluster, copy)
  for (const name of ['backup_label', 'standby.signal']) await chown(join(copy, name), uid, gid)
  await promisify(execFile)('cp', ['-a', join(folder, 'postgres-credentials.json'), other])
  const { host, port, user, password } = primary.owner
  const address = `host=${host} port=${port} user=${user} password=${String(password)}`
  const open = () =>
    openEmbeddedPostgres({
      dataDir: other,
      restarts: false,
      settings: {
        ...SETTINGS,
        wal_retrieve_retry_interval: '100ms',
        primary_conninfo: `${address} application_name=standby`,
      },
    })
  let standby = await open()
  return {
    primary,
    get standby() {
      return standby
    },
    killStandby: async () => {
      const pid = Number((await readFile(join(copy, 'postmaster.pid'), 'utf8')).split('\n')[0])
      // SIGQUIT: the whole server ends at once, and looks for what it lacks when it starts again
      process.kill(pid, 'SIGQUIT')
      await untilGone([pid], isRunning)
    },
    startStandby: async () => {
      await standby.leave()
      standby = await open()
    },
    stop: async () => {
      await standby.leave()
      await primary.leave()
      await Promise.all([folder, other].map((each) => rm(each, { recursive: true, force: true })))
    },
  }
}
