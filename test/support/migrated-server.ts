import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { PACKAGE_ROOT } from '../../src/config.js'
import {
  openEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.js'
import { migrate } from '../../src/database/migrate.js'
import { machineLock } from './machine-lock.js'
import { runFolder } from './run-folder.js'

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const openAndMigrate = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const postgres = await openEmbeddedPostgres(options)
  const { owner, service } = postgres
  await migrate({ owner, service, folder: new URL('migrations/', PACKAGE_ROOT) })
  return postgres
}

/** The data folder of a migrated server that was stopped: the first process of the run that needs one makes it. */
const pattern = async (run: string): Promise<string> => {
  const folder = join(run, 'pattern')
  const dataDir = join(folder, 'data')
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const lock = await machineLock(join(run, 'pattern-lock'), 'any').exclusive()
  try {
    if (!(await exists(dataDir))) {
      const draft = join(folder, 'draft')
      await rm(draft, { recursive: true, force: true })
      await (await openAndMigrate({ dataDir: draft, settings: { fsync: 'off' } })).leave()
      await rename(draft, dataDir)
    }
  } finally {
    await lock.release()
  }
  return dataDir
}

/**
 * Starts a PostgreSQL of a test's own in a new data folder; its database `linkgate` is migrated. It is a copy of one of
 * the run, since making and migrating a server takes many times as long.
 */
export const openMigratedServer = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const run = runFolder()
  if (run !== undefined) {
    const dataDir = await pattern(run)
    // a server that keeps its files elsewhere, since its user cannot enter our folders, cannot be copied
    if (await exists(join(dataDir, 'postgres'))) await promisify(execFile)('cp', ['-a', dataDir, options.dataDir])
  }
  return openAndMigrate(options)
}
