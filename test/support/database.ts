import type { ClientConfig } from 'pg'

import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'
import type { ServiceLogin } from '../../src/database/open.js'
import { withPool } from './bare-database.js'
import type { AskDatabase } from './bare-database.js'
import { cluster, createDatabase } from './cluster.js'

/** A migrated database of its own, as a service opens it, and its owner for what no service may do. */
export interface TestDatabase extends ServiceLogin {
  readonly owner: ClientConfig
  /** Runs SQL as the owner of the schema (a superuser), past every policy. */
  readonly asOwner: AskDatabase
}

/** Makes a migrated database in the cluster of this process: a copy, since migrating takes several times as long. */
export const testDatabase = async (): Promise<TestDatabase> => {
  const { service } = await cluster()
  const { owner } = await createDatabase({ isMigrated: true })
  return openedDatabase(owner, service)
}

/** A migrated database as a service of this process opens it. */
export const openedDatabase = (owner: ClientConfig, { user, password }: EmbeddedPostgres['service']): TestDatabase => {
  const login = { ...owner, user, password }
  return {
    owner,
    service: login,
    listener: login,
    asOwner: withPool(owner),
  }
}
