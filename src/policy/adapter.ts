import { createRequire } from 'node:module'

import type { Adapter } from 'casbin'
import type { PoolClient } from 'pg'

// Loaded with require(): Node and the test runner's loader unwrap this CommonJS module's default export differently.
const { default: PostgresAdapter }: typeof import('casbin-pg-adapter', { with: { 'resolution-mode': 'require' } }) =
  createRequire(import.meta.url)('casbin-pg-adapter')

/**
 * casbin-pg-adapter on one of our clients. Its own migration is off, because the table is ours, and so is its own pool,
 * whose lost connections would end the process. It writes edits; store.ts reads without it (docs/decisions/0002).
 */
export const newPostgresAdapter = (client: Pick<PoolClient, 'query'>): Promise<Adapter> =>
  PostgresAdapter.newAdapter({
    migrate: false,
    dbClient: (work: (client: Pick<PoolClient, 'query'>) => unknown) => Promise.resolve(work(client)),
  })
