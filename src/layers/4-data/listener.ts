import type { Database } from '../../database/database.js'
import type { DataRule } from '../rules.js'
import { requireCaller } from './context.js'

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
