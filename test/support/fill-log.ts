import { Client } from 'pg'

import type { TestDatabase } from './database.js'

/**
 * Adds so many entries as several transactions at once would: over several chains. With a time as the owner, who alone
 * may choose it.
 */
export const fillLog = async (
  db: TestDatabase,
  entries: number,
  { chains = 3, time }: { readonly chains?: number; readonly time?: string } = {},
): Promise<void> => {
  const clients = await Promise.all(
    Array.from({ length: chains }, async () => {
      const client = new Client(time === undefined ? db.service : db.owner)
      await client.connect()
      await client.query('begin')
      if (time === undefined) await client.query(`select enter('audit_writer', null)`)
      return client
    }),
  )
  try {
    for (const [i, client] of clients.entries()) {
      const share = Math.floor(entries / chains) + (i < entries % chains ? 1 : 0)
      // one statement a chain, each in a transaction that is still open when the next begins: none can share
      await client.query(
        `insert into decisions (${time === undefined ? '' : 'time, '}
                                request_id, revision, layer, subject_id, subject_role, token_id, network,
                                action, resource_type, resource_code, relation, effect, rule, row_priority, status)
         select ${time === undefined ? '' : `${time}, `}
                'request "' || n || E'"\\n\\u2028é', 1, 'gateway', nullif(n % 5, 0), 'editor', null,
                '192.0.2.0/24', 'link:update', 'link', 'code-' || n, 'other', 'deny', 'R5', nullif(n % 3, 0), 403
           from generate_series(1, $1::int) n`,
        [share],
      )
    }
    for (const client of clients) await client.query('commit')
  } finally {
    for (const client of clients) await client.end()
  }
}
