import { setTimeout as delay } from 'node:timers/promises'

import type { Knex } from 'knex'
import type { Client } from 'pg'

import { ADVISORY_LOCKS } from './advisory-locks.js'
import { SQLSTATE, sqlState } from './errors.js'
import type { SqlFile } from './sql-files.js'

/** Knex's table of applied files. */
export const TABLE = 'schema_migrations'
/**
 * How long a migration waits for a lock that requests hold. Later requests queue behind it, and they have a deadline:
 * so it gives up, lets them through, and retries.
 */
const LOCK_TIMEOUT_MS = 1_500
const TRIES = 40
const PAUSE_MS = 500

/** Applies the files, each in its own transaction. */
export const applyFiles = async (client: Client, files: readonly SqlFile[]): Promise<void> => {
  if (files.length === 0) return
  // loaded only when needed: most starts have nothing to apply
  const { default: knexFactory } = await import('knex')
  const knex = knexFactory({
    client: 'pg',
    // only this connection, which holds the migrator's lock
    connectionPool: { connect: async () => client, end: async () => {}, totalCount: 1, idleCount: 1, waitingCount: 0 },
    // it also throws whatever it warns about
    log: { warn: () => undefined },
  })
  for (const file of files)
    await betweenRequests(client, () =>
      // `up` runs one file, records it, and takes and releases Knex's own lock, all in one transaction, so a killed
      // migrator leaves no lock behind. Files of a newer version, which this one does not have, are not an error.
      knex.migrate.up({
        tableName: TABLE,
        disableMigrationsListValidation: true,
        migrationSource: sourceOf(file, client),
      }),
    )
}

/** One file as a Knex migration, identified by its key: a function with a changed text is a new migration. */
const sourceOf = ({ path, key, isFunction, text }: SqlFile, client: Client): Knex.MigrationSource<string> => ({
  getMigrations: async () => [key],
  getMigrationName: () => key,
  getMigration: async () => ({
    // The SQL bypasses Knex, which would treat `?` as a parameter, and put the whole text into an error's message.
    up: async () => {
      if (isFunction) {
        // Changes hold this lock shared, so none is running while functions and their triggers are replaced.
        await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.policy])
        await client.query(`delete from ${TABLE} where split_part(name, ' ', 1) = $1`, [path])
      }
      await client.query(text)
    },
    down: async () => {
      throw new Error('migrations do not go backwards')
    },
  }),
})

/** Retries work that gives up when it waits too long for a lock. */
export const betweenRequests = async (client: Client, work: () => Promise<unknown>): Promise<void> => {
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
  for (let tried = 1; ; tried += 1) {
    try {
      await work()
      return
    } catch (error) {
      const state = sqlState(error)
      if (tried === TRIES || (state !== SQLSTATE.lockNotAvailable && state !== SQLSTATE.deadlockDetected)) throw error
      await delay(PAUSE_MS)
    }
  }
}
