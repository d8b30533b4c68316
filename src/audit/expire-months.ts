import type { Client } from 'pg'

import { betweenRequests } from '../database/apply-files.js'
import { SQLSTATE, sqlState } from '../database/errors.js'
import { StartError } from '../domain/start-error.js'
import { entriesIn, type ChainHead, type RetiredRange } from './checkpoint.js'
import type { StatementKey } from './signed-statement.js'
import { CHAIN_HEADS, storeCheckpoint } from './take-checkpoint.js'

interface ExpireOptions {
  /** the first month to keep (UTC), such as 2026-02 */
  readonly before: string
  readonly key: StatementKey
  /** only reports what would be dropped */
  readonly dryRun: boolean
}

const DEFAULT = 'decisions_default'

/**
 * The months (UTC) before $1, each with the partition that holds its entries. The default partition has entries of
 * months that did not exist when these were written, because a clock was wrong.
 */
const MONTHS_BEFORE = `
  select m.month, m.name
    from (select replace(substr(c.relname, 11), '_', '-') as month, c.relname::text as name
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'decisions'::regclass and c.relname ~ '^decisions_[0-9]{4}_[0-9]{2}$') m
   where m.month < $1
  union
  select to_char(time at time zone 'UTC', 'YYYY-MM'), '${DEFAULT}' from ${DEFAULT}
   where time < ($1 || '-01T00:00:00Z')::timestamptz
   order by month`

const OF_MONTH = `to_char(time at time zone 'UTC', 'YYYY-MM') = $1`

/** For each chain, the first and last entry of every gapless run of a month in its partition. */
const rangesOf = (table: string): string => `
  with entries as (
    select writer, seq, previous, hash from ${table} where ${OF_MONTH}
  ), numbered as (
    select writer, seq, seq - row_number() over (partition by writer order by seq) as run from entries
  ), runs as (
    select writer, min(seq) as first, max(seq) as last from numbered group by writer, run
  )
  select r.writer::text, r.first::text, r.last::text,
         encode(f.previous, 'hex') as previous, encode(l.hash, 'hex') as hash
    from runs r
    join entries f on f.writer = r.writer and f.seq = r.first
    join entries l on l.writer = r.writer and l.seq = r.last
   order by r.writer, r.first`

/** A drop locks the whole log until the commit: whatever takes long must come before it. */
const dropTables = (client: Client, tables: readonly string[]): Promise<void> =>
  betweenRequests(client, async () => {
    await client.query('savepoint before_drop')
    await client.query(`drop table ${tables.join(', ')}`).catch(async (error: unknown) => {
      await client.query('rollback to savepoint before_drop')
      throw error
    })
  }).catch((error: unknown) => {
    if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error
    throw new StartError('nothing was dropped: somebody reads the log (an export, a verification); try again later')
  })

/**
 * Drops whole months of the decision log in one transaction, and stores a signed statement of the dropped entries, so
 * that the rest can still be verified. A running service is held up for a moment only. Throws StartError if somebody
 * keeps reading the log. `client` must be the schema's owner: the service's role deletes nothing. Verify the log first:
 * dropped entries can never be checked again.
 */
export const expireMonths = async (client: Client, { before, key, dryRun }: ExpireOptions) => {
  await client.query('begin')
  try {
    const { rows: months } = await client.query<{ month: string; name: string }>(MONTHS_BEFORE, [before])
    const expired: { readonly month: string; readonly entries: number }[] = []
    const retired: RetiredRange[] = []
    for (const { month, name } of months) {
      const table = client.escapeIdentifier(name)
      // a wrong clock may still write to a past month
      await client.query(`lock table ${table} in exclusive mode`)
      const { rows: ranges } = await client.query<RetiredRange>(rangesOf(table), [month])
      retired.push(...ranges)
      expired.push({ month, entries: entriesIn(ranges) })
      if (!dryRun && name === DEFAULT) await client.query(`delete from ${table} where ${OF_MONTH}`, [month])
    }
    if (!dryRun && expired.length > 0) {
      const tables = months.filter(({ name }) => name !== DEFAULT).map(({ name }) => client.escapeIdentifier(name))
      if (tables.length > 0) await dropTables(client, tables)
      for (const { month, entries } of expired)
        await client.query(
          `select record_change('audit', $1, jsonb_build_object('what', 'expired', 'entries', $2::bigint))`,
          [month, entries],
        )
      const { rows: heads } = await client.query<ChainHead>(CHAIN_HEADS)
      const time = new Date().toISOString()
      await storeCheckpoint(client, 'expiry', key, { time, heads, retired, months: expired })
    }
    await client.query(dryRun ? 'rollback' : 'commit')
    return expired
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
