import { isId } from '../../domain/id.js'
import type { LogFilter } from '../../domain/log-filter.js'
import { decisionLog } from '../../layers/4-data/decisions.js'
import type { DecisionLog } from '../../layers/4-data/decisions.js'
import { lookUpUser, withDatabase } from '../session.js'

/** Opens the log. A user in the filter may be named by an address. An id may be that of a deleted user. */
export const withLog = (options: LogFilter, work: (log: DecisionLog, filter: LogFilter) => Promise<void>) =>
  withDatabase(async (database) => {
    const { user } = options
    const filter =
      user === undefined || isId(user) ? options : { ...options, user: (await lookUpUser(database, user)).id }
    await work(decisionLog(database, 'command line'), filter)
  })
