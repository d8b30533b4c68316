import { createRequire } from 'node:module'

import type { Adapter } from 'casbin'
import type { PoolClient } from 'pg'

// A CommonJS module whose default export Node and the test runner's loader unwrap differently; required, it is one
// thing.
const { default: PostgresAdapter }: typeof import('casbin-pg-adapter', { with: { 'resolution-mode': 'require' } }) =
  createRequire(import.meta.url)('casbin-pg-adapter')

/**
 * casbin-pg-adapter on a connection of ours. Its own migration is off (the table is ours, migrations/0004_policy.sql)
 * and it opens no pool of its own, which would end the process when an idle connection is lost.
 */
export const newPostgresAdapter = (client: Pick<PoolClient, 'query'>): Promise<Adapter> =>
  PostgresAdapter.newAdapter({
    migrate: false,
    dbClient: (work: (client: Pick<PoolClient, 'query'>) => unknown) => Promise.resolve(work(client)),
  })
