import type { Database, Statement } from '../../database/database.js'
import type { Replica } from '../../database/replica.js'
import { isCode } from '../../domain/link.js'
import type { Link } from '../../domain/link.js'
import { toLink } from './links.js'
import type { LinkRow } from './links.js'
import type { RecentChanges } from './recent-changes.js'

const select = (code: string): Statement => ({ name: 'find_link', text: 'select * from find_link($1)', values: [code] })

const first = ([row]: readonly LinkRow[]): Link | null => (row ? toLink(row) : null)

/**
 * One link by its code, as the public reads it (R1): the only question about links that the service's login role may ask
 * without becoming anybody. Null where there is none; a text that is no code asks nothing.
 */
export const findLink = (database: Database) => async (code: string): Promise<Link | null> => {
  if (!isCode(code)) return null
  return first(await database.run<LinkRow>(select(code)))
}

/**
 * The same from a replica where it is in order, else by `find` from the primary. What changed within the replica's bound is asked
 * of the primary: an answer of the replica is then never older than a change that this process knows of, so that it
 * may be remembered like the primary's (docs/decisions/0015).
 */
export const findLinkInReplica = ({ find, replica, changes }: {
  readonly find: (code: string) => Promise<Link | null>
  readonly replica: Pick<Replica, 'read'>
  readonly changes: Pick<RecentChanges, 'has'>
}) => async (code: string): Promise<Link | null> => {
  if (!isCode(code) || changes.has(code)) return find(code)
  const rows = await replica.read<LinkRow>(select(code))
  return rows === undefined ? find(code) : first(rows)
}
