import type { Database } from '../../database/database.js'
import { RecordChanged } from '../../database/errors.js'
import type { Link } from '../../domain/link.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataRule } from '../rules.js'

/** The checks that following a link needs in the database. */
export interface Following {
  /**
   * Takes one visit of a link that has a maximum, and throws `link_expired` (410) if none is left. The visit is
   * committed before this resolves, so all processes together never exceed the maximum. Throws RecordChanged if the
   * link changed since it was looked up. Does nothing for a link without a maximum.
   */
  take(link: Link): Promise<void>
  /**
   * Whether this is the link's current password. Any is, if the link has none. Throws RecordChanged if the link
   * changed.
   */
  hasPassword(link: Link, password: string): Promise<boolean>
}

type Verify = (hash: string, password: string) => Promise<boolean>

interface FollowingParts {
  readonly database: Database
  readonly verify: Verify
  /** called with the code of a link that has changed since it was looked up: a replica may not have the change yet */
  readonly forget: (code: string) => void
}

/** The data layer of redirects. The login role calls two functions, each of which reaches one link by its id. */
export const followingStore = ({ database, verify, forget }: FollowingParts): DataRule<Following> => ({
  rows: 'the visits that are left of one link, and the hash of its password',
  open: ({ deadline }) => ({
    take: async ({ id, code, version, max_visits: most }) => {
      if (most === null) return
      const take = { name: 'take_visit', text: 'select take_visit($1, $2) as took', values: [id, version] }
      const [result] = await database.flush([take], deadline)
      const row: { readonly took: 'taken' | 'used up' | 'changed' } | undefined = result?.rows[0]
      if (row?.took === 'used up') throw new Refusal('link_expired')
      if (row?.took === 'taken') return
      forget(code)
      throw new RecordChanged()
    },
    hasPassword: async ({ id, version }, password) => {
      const [row] = await database.run<{ version: string; password_hash: string | null }>({
        name: 'link_password',
        text: 'select * from link_password($1)',
        values: [id],
      })
      // the redirect would go to the target of the version that was looked up
      if (Number(row?.version) !== version) throw new RecordChanged()
      const hash = row?.password_hash ?? null
      return hash === null || (await verify(hash, password))
    },
  }),
})
