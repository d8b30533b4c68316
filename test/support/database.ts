import type { ClientConfig } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import type { EmbeddedPostgres } from '../../src/database/embedded.js'
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

/** Creates and migrates a database in the run's cluster. */
export const testDatabase = async (): Promise<TestDatabase> => migratedDatabase(await cluster(), (await createDatabase()).owner)

/** Migrates a database in a cluster of its own. */
export const migratedDatabase = async ({ service }: Pick<EmbeddedPostgres, 'service'>, owner: ClientConfig): Promise<TestDatabase> => {
  const migrated = await migrate({ owner, service, folder: new URL('migrations/', PACKAGE_ROOT) })
  const login = { ...owner, user: service.user, password: service.password }
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
