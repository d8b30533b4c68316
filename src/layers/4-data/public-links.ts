import type { Database } from '../../database/database.js'
import type { Statement } from '../../database/statement.js'
import type { Replica } from '../../database/replica.js'
import { isCode } from '../../domain/link.js'
import type { Link } from '../../domain/link.js'
import { toLink } from './links.js'
import type { LinkRow } from './links.js'
import type { RecentChanges } from './recent-changes.js'

const select = (code: string): Statement => ({ name: 'find_link', text: 'select * from find_link($1)', values: [code] })

/** The same for several at once; a code has no comma in it. */
const selectSeveral = (codes: readonly string[]): Statement => ({
  name: 'find_links',
  text: `select found.* from unnest(string_to_array($1, ',')) as asked, find_link(asked) as found`,
  values: [codes.join(',')],
})

const first = ([row]: readonly LinkRow[]): Link | null => (row ? toLink(row) : null)

/**
 * One link by its code, as the public reads it (R1): the only question about links that the service's login role may
 * ask without becoming anybody. Null where there is none; a text that is no code asks nothing.
 */
export const findLink =
  (database: Database) =>
  async (code: string): Promise<Link | null> => {
    if (!isCode(code)) return null
    return first(await database.run<LinkRow>(select(code)))
  }

/** Codes that one statement asks for at the most. */
const MOST_AT_ONCE = 100

/**
 * The same for many who ask at once: the codes of one turn of the event loop go to the database in one statement, at
 * the end of that turn. Nobody waits for an answer to somebody who asked before; a statement that fails, fails for
 * those whose codes are in it.
 */
export const findLinksTogether = (database: Pick<Database, 'run'>) => {
  const ask = async (codes: readonly string[]): Promise<ReadonlyMap<string, Link>> => {
    const [first, ...others] = codes
    const rows = await database.run<LinkRow>(
      first !== undefined && others.length === 0 ? select(first) : selectSeveral(codes),
    )
    return new Map(rows.map((row) => [row.code, toLink(row)]))
  }
  let gathered: { readonly codes: Set<string>; readonly answer: Promise<ReadonlyMap<string, Link>> } | undefined
  const gather = () => {
    const codes = new Set<string>()
    const answer = new Promise(setImmediate).then(() => {
      if (gathered?.codes === codes) gathered = undefined
      return ask([...codes])
    })
    return { codes, answer }
  }
  return async (code: string): Promise<Link | null> => {
    if (!isCode(code)) return null
    if (gathered === undefined || gathered.codes.size === MOST_AT_ONCE) gathered = gather()
    const { codes, answer } = gathered
    codes.add(code)
    return (await answer).get(code) ?? null
  }
}

/**
 * The same from a replica where it is in order, else by `find` from the primary. What changed within the replica's
 * bound is asked of the primary: an answer of the replica is then never older than a change that this process knows of,
 * so that it may be remembered like the primary's (docs/decisions/0015).
 */
export const findLinkInReplica =
  ({
    find,
    replica,
    changes,
  }: {
    readonly find: (code: string) => Promise<Link | null>
    readonly replica: Pick<Replica, 'read'>
    readonly changes: Pick<RecentChanges, 'has'>
  }) =>
  async (code: string): Promise<Link | null> => {
    if (!isCode(code) || changes.has(code)) return find(code)
    const rows = await replica.read<LinkRow>(select(code))
    return rows === undefined ? find(code) : first(rows)
  }
