import type { ClientBase } from 'pg'

import { ADVISORY_LOCKS } from '../database/advisory-locks.js'
import type { Database } from '../database/database.js'
import { AUDIT_WRITER } from '../database/decision-log.js'
import { enter, sendTo } from '../database/statement.js'
import {
  newestCheckpoint,
  signCheckpoint,
  type ChainHead,
  type Checkpoint,
  type StoredCheckpoint,
} from './checkpoint.js'
import type { StatementKey } from './signed-statement.js'

/** Selects the head of each chain (ChainHead). */
export const CHAIN_HEADS = `
  select writer::text, seq::text, encode(hash, 'hex') as hash from audit_chains order by audit_chains.writer`

/** How many of the newest rows are searched for the last checkpoint. If all are bad, a new one is signed. */
const LOOKED_AT = 1_000

/**
 * Signs and stores the current chain heads. Null if nothing was added since the newest checkpoint, if that is younger
 * than `notWithinSeconds`, or if another process is signing.
 */
export const takeCheckpoint = async (
  database: Database,
  key: StatementKey,
  notWithinSeconds = 0,
): Promise<Checkpoint | null> =>
  database.transaction(async (client) => {
    const [, locks, { rows: stored }, { rows: heads }] = await Promise.all([
      sendTo(client, enter(AUDIT_WRITER, null)),
      client.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [ADVISORY_LOCKS.checkpoint]),
      client.query<StoredCheckpoint>('select id, jws from audit_checkpoints order by id desc limit $1', [LOOKED_AT]),
      client.query<ChainHead>(CHAIN_HEADS),
    ])
    if (locks.rows[0]?.held !== true) return null
    const { newest } = await newestCheckpoint(stored, new Map([[key.kid, key.publicKey]]))
    // a checkpoint with a time far in the past or future does not hold up the next
    if (newest && Math.abs(Date.now() - Date.parse(newest.time)) < notWithinSeconds * 1_000) return null
    if (newest && JSON.stringify(newest.heads) === JSON.stringify(heads)) return null
    const checkpoint: Checkpoint = { time: new Date().toISOString(), heads, retired: [] }
    await storeCheckpoint(client, 'standing', key, checkpoint)
    return checkpoint
  })

/** Adds a signed checkpoint to the log. `expiry`: its transaction also dropped months of entries. */
export const storeCheckpoint = async (
  client: Pick<ClientBase, 'query'>,
  kind: 'standing' | 'expiry',
  key: StatementKey,
  checkpoint: Checkpoint,
): Promise<void> => {
  await client.query('insert into audit_checkpoints (kind, jws) values ($1, $2)', [
    kind,
    await signCheckpoint(key, checkpoint),
  ])
}
