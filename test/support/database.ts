import type { ClientConfig } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'
import type { OpenedDatabase } from '../../src/database/open.js'
import { migrate } from '../../src/database/migrate.js'
import { withPool } from './bare-database.js'
import type { AskDatabase } from './bare-database.js'
import { cluster, createDatabase } from './cluster.js'

/** A migrated database of its own, as a service opens it, and its owner for what no service may do. */
export interface TestDatabase extends OpenedDatabase {
  readonly owner: ClientConfig
  /** Runs SQL as the owner of the schema (a superuser), past every policy. */
  readonly asOwner: AskDatabase
}

/** The one database of this process that is migrated and never used: what every other of its cluster is a copy of. */
let pattern: Promise<{ readonly name: string; readonly migrated: readonly string[] }> | undefined

const makePattern = async () => {
  const { name, owner } = await createDatabase()
  const { service } = await cluster()
  return { name, migrated: await migrate({ owner, service, folder: new URL('migrations/', PACKAGE_ROOT) }) }
}

/** Makes a migrated database in the cluster of the run: a copy, since migrating takes several times as long. */
export const testDatabase = async (): Promise<TestDatabase> => {
  const { service } = await cluster()
  const { name, migrated } = await (pattern ??= makePattern())
  const { owner } = await createDatabase(name)
  return opened(owner, service, migrated)
}

/** Migrates a database in a cluster of its own. */
export const migratedDatabase = async (
  { service }: Pick<EmbeddedPostgres, 'service'>,
  owner: ClientConfig,
): Promise<TestDatabase> =>
  opened(owner, service, await migrate({ owner, service, folder: new URL('migrations/', PACKAGE_ROOT) }))

const opened = (
  owner: ClientConfig,
  { user, password }: EmbeddedPostgres['service'],
  migrated: readonly string[],
): TestDatabase => {
  const login = { ...owner, user, password }
  return {
    owner,
    service: login,
    listener: login,
    embedded: true,
    migrated,
    leave: async () => {},
    asOwner: withPool(owner),
  }
}
