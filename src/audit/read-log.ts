import type { PoolClient } from 'pg'

import type { Database } from '../database/database.js'
import { AUDIT_READER } from '../database/decision-log.js'
import { enter, sendTo } from '../database/statement.js'

/** Reads the decision log in one snapshot. */
export const readLog = <T>(database: Database, read: (client: PoolClient) => Promise<T>): Promise<T> =>
  database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read, read only')
    await sendTo(client, enter(AUDIT_READER, null))
    return read(client)
  })
