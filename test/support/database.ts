import type { ClientConfig } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import { openPool } from '../../src/database/pool.js'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js'
import type { ServiceLogin } from '../../src/database/open.js'
import { installDefaultPolicy, loadPolicyRules } from '../../src/policy/installation.js'
import { withPool, type AskDatabase } from './bare-database.js'
import { MIGRATED, cluster, copyDatabase, createDatabase } from './cluster.js'

/** A migrated database of its own, as a service opens it, and its owner for what no service may do. */
export interface TestDatabase extends ServiceLogin {
  readonly owner: ClientConfig
  /** Runs SQL as the owner of the schema (a superuser), past every policy. */
  readonly asOwner: AskDatabase
}

/** Makes a migrated database in the cluster of this process: a copy, since migrating takes several times as long. */
export const testDatabase = async (template = MIGRATED): Promise<TestDatabase> => {
  const { service } = await cluster()
  const { owner } = await createDatabase(template)
  return openedDatabase(owner, service)
}

let withPolicy: Promise<string> | undefined

/**
 * The same with the default policy: a copy, too, since storing it is much of what the first start of a service on a
 * database costs.
 */
export const databaseWithPolicy = async (): Promise<TestDatabase> => testDatabase(await (withPolicy ??= storePolicy()))

/** Stores the default policy in a database for the copies, and resolves with its name. */
const storePolicy = async (): Promise<string> => {
  const { service } = await cluster()
  const { name, owner } = await copyDatabase(MIGRATED)
  const database = openPool({ connection: openedDatabase(owner, service).service, size: 1, deadlineMs: 60_000 })
  await installDefaultPolicy(database, await loadPolicyRules(PACKAGE_ROOT), PACKAGE_ROOT)
  // what somebody is connected to cannot be copied
  await database.close()
  return name
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
