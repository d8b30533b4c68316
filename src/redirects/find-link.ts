import DataLoader from 'dataloader'

import type { Database } from '../database/database.js'
import { IN_ONE_TURN } from '../database/in-one-turn.js'
import { toLink, type LinkRow } from '../database/link-row.js'
import type { Replica } from '../database/replica.js'
import type { Statement } from '../database/statement.js'
import { isCode, type FindLink, type Link } from '../domain/link.js'
import type { RecentChanges } from './recent-changes.js'

const select = (codes: readonly string[]): Statement => ({
  name: 'find_links',
  text: 'select * from find_links($1)',
  values: [codes],
})

/**
 * Finds a link by its code for the public (R1): the only query on links that the login role may send without the
 * identity of a caller. Codes that are asked for in one turn of the event loop share a query; text that cannot be a
 * code needs none.
 */
export const findLink = (database: Pick<Database, 'lookUp'>): FindLink => {
  const loader = loaderOf(database, select, ({ code }) => code)
  return async (code) => (isCode(code) ? await loader.load(code) : null)
}

/** Finds a link in the trash by its id; many at once in one query, as `findLink`. */
export const findDeletedLink = (database: Pick<Database, 'lookUp'>): ((id: string) => Promise<Link | null>) => {
  const text = 'select found.* from unnest($1::bigint[]) as wanted, find_deleted_link(wanted) as found'
  const loader = loaderOf(
    database,
    (ids) => ({ name: 'find_deleted_links', text, values: [ids] }),
    ({ id }) => id,
  )
  return (id) => loader.load(id)
}

const loaderOf = (
  database: Pick<Database, 'lookUp'>,
  statementOf: (keys: readonly string[]) => Statement,
  keyOf: (row: LinkRow) => string,
) =>
  new DataLoader<string, Link | null>(async (keys) => {
    const rows = await database.lookUp<LinkRow>(statementOf(keys))
    const links = new Map(rows.map((row) => [keyOf(row), toLink(row)]))
    return keys.map((key) => links.get(key) ?? null)
  }, IN_ONE_TURN)

/**
 * Finds a link in the replica, or with `find` in the primary if the replica cannot be used or the code changed within
 * the replica's staleness bound. Its answers are thus never older than a change that this process knows of, and may be
 * cached (docs/decisions/0015).
 */
export const findLinkInReplica =
  (find: FindLink, replica: Pick<Replica, 'read'>, changes: Pick<RecentChanges, 'has'>): FindLink =>
  async (code) => {
    if (!isCode(code) || changes.has(code)) return find(code)
    const rows = await replica.read<LinkRow>(select([code]))
    if (rows === undefined) return find(code)
    const [row] = rows
    return row === undefined ? null : toLink(row)
  }
