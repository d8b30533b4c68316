import type { Client } from 'pg'

import { HEADS, signCheckpoint } from './checkpoint.js'
import type { CheckpointKey } from './checkpoint.js'
import type { ChainHead, RetiredRange } from './chain-walk.js'

/** A month of the log that was, or would be, retired. */
export interface ExpiredMonth {
  /** such as 2026-01 */
  readonly month: string
  readonly entries: number
}

export interface ExpireOptions {
  /** months before this one, such as 2026-02 (UTC), are retired */
  readonly before: string
  readonly key: CheckpointKey
  /** says what would be retired, and retires nothing */
  readonly dryRun: boolean
}

/** Where a partition's entries of one chain begin and end, for every run of them without a gap. */
const rangesOf = (table: string): string => `
  with numbered as (
    select writer, seq, previous, hash, seq - row_number() over (partition by writer order by seq) as run from ${table}
  ), runs as (
    select writer, min(seq) as first, max(seq) as last from numbered group by writer, run
  )
  select r.writer::text, r.first::text, r.last::text, encode(f.previous, 'hex') as previous, encode(l.hash, 'hex') as hash
    from runs r join ${table} f on f.writer = r.writer and f.seq = r.first join ${table} l on l.writer = r.writer and l.seq = r.last
   order by r.writer, r.first`

/**
 * Drops whole months of the decision log, oldest first, and keeps a signed statement of where their entries stood in
 * the chains, so that what is left can be verified as before. `client` is the schema's owner: the service's role
 * deletes nothing. All in one transaction. Verify the log first: what is dropped can never be looked at again.
 */
export const expireMonths = async (
  client: Client,
  { before, key, dryRun }: ExpireOptions,
): Promise<readonly ExpiredMonth[]> => {
  await client.query('begin')
  try {
    const { rows: tables } = await client.query<{ name: string; month: string }>(`
      select c.relname as name, replace(substr(c.relname, 11), '_', '-') as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'decisions'::regclass and c.relname ~ '^decisions_[0-9]{4}_[0-9]{2}$' order by c.relname`)
    const expired: ExpiredMonth[] = []
    const retired: RetiredRange[] = []
    for (const { name, month } of tables.filter((table) => table.month < before)) {
      // a month that is over is written no more, unless by a clock that is wrong: nobody may add to it while it goes
      await client.query(`lock table ${client.escapeIdentifier(name)} in exclusive mode`)
      const { rows: ranges } = await client.query<RetiredRange>(rangesOf(client.escapeIdentifier(name)))
      retired.push(...ranges)
      expired.push({
        month,
        entries: ranges.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0),
      })
      if (!dryRun) await client.query(`drop table ${client.escapeIdentifier(name)}`)
    }
    if (!dryRun && expired.length > 0) {
      for (const { month, entries } of expired)
        await client.query(
          `select record_change('audit', $1, jsonb_build_object('what', 'expired', 'entries', $2::bigint))`,
          [month, entries],
        )
      const { rows: heads } = await client.query<ChainHead>(HEADS)
      await client.query(`insert into audit_checkpoints (kind, jws) values ('expiry', $1)`, [
        await signCheckpoint(key, { time: new Date().toISOString(), heads, retired }),
      ])
    }
    await client.query(dryRun ? 'rollback' : 'commit')
    return expired
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
