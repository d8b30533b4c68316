import type { Database } from '../database/database.js'
import { toLink } from '../database/link-row.js'
import type { LinkRow } from '../database/link-row.js'
import type { Replica } from '../database/replica.js'
import type { Statement } from '../database/statement.js'
import { isCode } from '../domain/link.js'
import type { Link } from '../domain/link.js'
import type { RecentChanges } from './recent-changes.js'

const select = (code: string): Statement => ({
  name: 'find_link',
  text: 'select * from find_link($1)',
  values: [code],
})

const first = ([row]: readonly LinkRow[]): Link | null => (row ? toLink(row) : null)

export type FindLink = (code: string) => Promise<Link | null>

/**
 * Finds a link by its code for the public (R1): the only query on links that the login role may send without the
 * identity of a caller. Skips the query for text that cannot be a code.
 */
export const findLink =
  (database: Pick<Database, 'run'>): FindLink =>
  async (code) =>
    isCode(code) ? first(await database.run<LinkRow>(select(code))) : null

/**
 * Finds a link in the replica, or with `find` in the primary if the replica cannot be used or the code changed within
 * the replica's staleness bound. Its answers are thus never older than a change that this process knows of, and may be
 * cached (docs/decisions/0015).
 */
export const findLinkInReplica =
  (find: FindLink, replica: Pick<Replica, 'read'>, changes: Pick<RecentChanges, 'has'>): FindLink =>
  async (code) => {
    if (!isCode(code) || changes.has(code)) return find(code)
    const rows = await replica.read<LinkRow>(select(code))
    return rows === undefined ? find(code) : first(rows)
  }
