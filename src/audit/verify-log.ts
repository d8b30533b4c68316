import type { PoolClient } from 'pg'

import { cursorRows } from '../database/cursor.js'
import type { Database } from '../database/database.js'
import { createChainWalk } from './chain-walk.js'
import type { ChainFault, ChainHead, RetiredRange } from './chain-walk.js'
import { HEADS, readCheckpoint } from './checkpoint.js'
import type { Checkpoint, CheckpointKeys } from './checkpoint.js'
import { ENTRY_COLUMNS } from './entry-hash.js'
import type { StoredEntry } from './entry-hash.js'

/**
 * What is wrong with the log: an entry that is not as it was written, or a signed statement that cannot be believed.
 */
export type LogFault = ChainFault | { readonly kind: 'checkpoint'; readonly id: string; readonly why: string }

export interface LogVerdict {
  readonly entries: number
  readonly chains: number
  /** entries that were retired, and that a signed statement stands for */
  readonly retired: number
  /** the newest checkpoint that the entries bore out; null where there is none */
  readonly checkpoint: string | null
  readonly faults: number
}

export interface VerifyOptions {
  readonly keys: CheckpointKeys
  readonly onFault: (fault: LogFault) => void
  readonly onProgress?: (done: number, of: number) => void
}

const BATCH = 2_000

/**
 * Walks the whole decision log in one snapshot of the database, beside a running service, and tells of every fault.
 * Memory does not grow with the log.
 */
export const verifyLog = async (
  database: Database,
  { keys, onFault, onProgress }: VerifyOptions,
): Promise<LogVerdict> =>
  database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read, read only')
    await client.query(`select enter('audit_reader', null)`)
    let faults = 0
    const fault = (found: LogFault) => {
      faults += 1
      onFault(found)
    }
    const { newest, retired } = await readStatements(client, keys, fault)
    const { rows: heads } = await client.query<ChainHead>(HEADS)
    const gone = retired.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0)
    const total = heads.reduce((sum, { seq }) => sum + Number(seq), 0) - gone

    const walk = createChainWalk({ retired, checkpoint: newest?.heads ?? [], onFault: fault })
    for await (const batch of cursorRows<StoredEntry>(
      client,
      { text: `select ${ENTRY_COLUMNS} from decisions order by decisions.id` },
      BATCH,
    )) {
      for (const entry of batch) walk.take(entry)
      onProgress?.(walk.entries, total)
    }
    walk.finish(heads)
    return { entries: walk.entries, chains: heads.length, retired: gone, checkpoint: newest?.time ?? null, faults }
  })

/** The newest checkpoint, and what all expiries retired. */
const readStatements = async (client: PoolClient, keys: CheckpointKeys, fault: (found: LogFault) => void) => {
  const { rows } = await client.query<{ id: string; kind: string; jws: string }>(
    `select id, kind, jws from audit_checkpoints where kind = 'expiry' or id = (select max(id) from audit_checkpoints) order by id`,
  )
  const retired: RetiredRange[] = []
  let newest: Checkpoint | null = null
  for (const { id, jws } of rows) {
    const checkpoint = await readCheckpoint(jws, keys)
    if (typeof checkpoint === 'string') fault({ kind: 'checkpoint', id, why: checkpoint })
    else {
      newest = checkpoint
      retired.push(...checkpoint.retired)
    }
  }
  return { newest, retired }
}
