import type { Database } from '../../database/database.js'
import { isCode } from '../../domain/link.js'
import type { Link } from '../../domain/link.js'
import { toLink } from './links.js'
import type { LinkRow } from './links.js'

/**
 * One link by its code, as the public reads it (R1): the only question about links that the service's login role may ask
 * without becoming anybody. Null where there is none; a text that is no code asks nothing.
 */
export const findLink = (database: Database) => async (code: string): Promise<Link | null> => {
  if (!isCode(code)) return null
  const [row] = await database.run<LinkRow>({ name: 'find_link', text: 'select * from find_link($1)', values: [code] })
  return row ? toLink(row) : null
}
