import type { Database } from '../../database/database.js'
import { LINK_ROW, toLink, visitsOf, type LinkRow } from '../../database/link-row.js'
import type { VisitCount } from '../../domain/link.js'
import type { DataRule } from '../rules.js'
import { bind, reachOf, requireCaller } from './context.js'
import { LINK_ROLES } from './link-rows.js'
import { knex, ownedRows, prepared } from './query.js'

/** The visit count that a listener receives with each event. */
export interface LiveCount {
  /**
   * The current visits of a link. Throws CallerChanged once the caller has been suspended, demoted or signed out;
   * returns null once the link is no longer within their reach.
   */
  read(link: string): Promise<VisitCount | null>
}

/** The data layer of a stream of visits. Each read re-checks the caller: a stream outlasts its decision. */
export const liveVisitsStore = (database: Database): DataRule<LiveCount> => ({
  rows: 'visits of links that the caller may link:update',
  open: (context) => {
    const { caller } = context
    const binding = bind(context, reachOf(context, 'link:update'), LINK_ROLES)
    return {
      read: async (link) => {
        const query = ownedRows('links', binding)()
          .select(...LINK_ROW, knex.raw(visitsOf('links')))
          .where('id', link)
        const results = await database.flush([requireCaller(caller), binding.enterRead, prepared(query)])
        const row: LinkRow | undefined = results[2]?.rows[0]
        return row === undefined ? null : toLink(row).visits
      },
    }
  },
})

/** Re-checks the listener of a stream, because a stream outlasts the decision that let them in. */
export interface ListenerStore {
  /** Throws CallerChanged once the caller has been suspended, demoted or signed out. */
  requireSame(): Promise<void>
}

/** The data layer of a stream that reads no rows: the database re-checks the listener before each event. */
export const listenerStore = (database: Database): DataRule<ListenerStore> => ({
  rows: 'none; the listener is proved before each event',
  open: ({ caller }) => ({
    requireSame: async () => {
      await database.flush([requireCaller(caller)])
    },
  }),
})
