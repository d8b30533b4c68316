import type { Database } from '../../database/database.js'
import type { Gate } from '../../domain/gate.js'
import type { DataRule } from '../rules.js'
import { bind, read } from './context.js'
import { LINK_ROLES } from './link-rows.js'
import { knex, ownedRows, prepared } from './query.js'

interface TagCount {
  readonly tag: string
  readonly links: number
}

/** The tags of the caller's own links. */
export interface Tags {
  /** The most used first; at most 1,000. */
  list(): Promise<readonly TagCount[]>
}

const MOST = 1_000

/** The data layer of tags: always bound to the caller's own links, whatever their role reaches. Reads all of them. */
export const tagsStore = (database: Database, searches: Gate): DataRule<Tags> => ({
  rows: 'the caller’s own links',
  open: (context) => {
    const binding = bind(context, 'own', LINK_ROLES)
    return {
      list: () => {
        const each = ownedRows('links', binding)().select(knex.raw('unnest(tags) as tag')).as('each')
        const query = knex(each)
          .select('tag', knex.raw('count(*)::int as links'))
          .groupBy('tag')
          .orderBy('links', 'desc')
          .orderBy('tag')
          .limit(MOST)
        return searches(() => read<TagCount>(database, binding, prepared(query)))
      },
    }
  },
})
