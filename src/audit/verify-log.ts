import type { PoolClient } from 'pg'

import { cursorRows } from '../database/cursor.js'
import type { Database } from '../database/database.js'
import { createChainWalk } from './chain-walk.js'
import type { ChainFault } from './chain-walk.js'
import { CHAIN_HEADS, entriesIn, newestCheckpoint, readCheckpoint } from './checkpoint.js'
import type { ChainHead, CheckpointKeys, RetiredRange, StoredCheckpoint } from './checkpoint.js'
import { ENTRY_COLUMNS } from './entry-hash.js'
import type { StoredEntry } from './entry-hash.js'
import { readLog } from './read-log.js'

/** An entry that is not as it was written, or a checkpoint that is not valid. */
export type LogFault = ChainFault | { readonly kind: 'checkpoint'; readonly id: string; readonly why: string }

export type LogVerdict = Awaited<ReturnType<typeof verifyLog>>

interface VerifyOptions {
  readonly keys: CheckpointKeys
  readonly onFault: (fault: LogFault) => void
  readonly onProgress?: (done: number, of: number) => void
}

const BATCH = 2_000

/** Verifies the decision log, beside a running service, and reports every fault. Memory does not grow with the log. */
export const verifyLog = (database: Database, { keys, onFault, onProgress }: VerifyOptions) =>
  readLog(database, async (client) => {
    let faults = 0
    const report = (fault: LogFault) => {
      faults += 1
      onFault(fault)
    }
    const { newest, retired } = await readCheckpoints(client, keys, report)
    const { rows: heads } = await client.query<ChainHead>(CHAIN_HEADS)
    const gone = entriesIn(retired)
    const total = heads.reduce((sum, { seq }) => sum + Number(seq), 0) - gone

    const walk = createChainWalk({ retired, checkpoint: newest?.heads ?? [], onFault: report })
    const select = { text: `select ${ENTRY_COLUMNS} from decisions order by decisions.id` }
    for await (const batch of cursorRows<StoredEntry>(client, select, BATCH)) {
      for (const entry of batch) walk.take(entry)
      onProgress?.(walk.entries, total)
    }
    walk.finish(heads)
    return {
      entries: walk.entries,
      chains: heads.length,
      /** entries that were dropped, as a signed statement says */
      retired: gone,
      /** the time of the newest valid checkpoint */
      checkpoint: newest?.time ?? null,
      faults,
    }
  })

/** The newest valid checkpoint, and the ranges that all expiries retired. Reports every row that is not valid. */
const readCheckpoints = async (client: PoolClient, keys: CheckpointKeys, report: (fault: LogFault) => void) => {
  const { rows } = await client.query<StoredCheckpoint & { readonly kind: string }>(
    'select id, kind, jws from audit_checkpoints order by id',
  )
  const { newest, bad } = await newestCheckpoint(rows, keys)
  const faults = new Map(bad.map(({ id, why }) => [id, why]))
  const retired: RetiredRange[] = []
  // one that was put there again retires nothing more
  for (const [jws, { id }] of new Map(rows.filter(({ kind }) => kind === 'expiry').map((row) => [row.jws, row]))) {
    const checkpoint = await readCheckpoint(jws, keys)
    if (typeof checkpoint === 'string') faults.set(id, checkpoint)
    else retired.push(...checkpoint.retired)
  }
  for (const { id } of rows) {
    const why = faults.get(id)
    if (why !== undefined) report({ kind: 'checkpoint', id, why })
  }
  return { newest, retired }
}
