import type { ClientBase } from 'pg'

import { cursorRows } from '../database/cursor.js'
import type { Database } from '../database/database.js'
import { createChainWalk, type ChainFault } from './chain-walk.js'
import {
  entriesIn,
  entriesUpTo,
  newestCheckpoint,
  readCheckpoint,
  type ChainHead,
  type RetiredRange,
  type StoredCheckpoint,
} from './checkpoint.js'
import { ENTRY_COLUMNS, toChainEntry, type StoredEntry } from './entry-hash.js'
import { readLog } from './read-log.js'
import type { StatementKeys } from './signed-statement.js'
import { CHAIN_HEADS } from './take-checkpoint.js'

/** An entry that differs from what was written, or an invalid checkpoint. */
export type LogFault = ChainFault | { readonly kind: 'checkpoint'; readonly id: string; readonly why: string }

export interface LogVerdict {
  readonly entries: number
  readonly chains: number
  /** dropped entries, according to signed statements */
  readonly retired: number
  /** the time of the newest valid checkpoint */
  readonly checkpoint: string | null
  readonly faults: number
}

/** Entries checked so far, and in total. */
export interface Progress {
  readonly done: number
  readonly of: number
}

interface WalkOptions {
  readonly keys: StatementKeys
  readonly onFault: (fault: LogFault) => void
}

interface VerifyOptions extends WalkOptions {
  readonly onProgress?: (progress: Progress) => void
}

const BATCH = 2_000
/** Checkpoints in a batch: fewer than entries, because each has a signature to verify. */
const CHECKPOINTS = 500

/**
 * Verifies the decision log while the service runs, and reports every fault. Memory grows with the checkpoints, one in
 * ten minutes, and not with the entries.
 */
export const verifyLog = (database: Database, { keys, onFault, onProgress }: VerifyOptions): Promise<LogVerdict> =>
  readLog(database, async (client) => {
    const walk = walkLog(client, { keys, onFault })
    for (;;) {
      const step = await walk.next()
      if (step.done === true) return step.value
      onProgress?.(step.value)
    }
  })

/** The same step by step, in the client's transaction, which has to be a single snapshot of the log. */
export async function* walkLog(
  client: ClientBase,
  { keys, onFault }: WalkOptions,
): AsyncGenerator<Progress, LogVerdict> {
  let faults = 0
  const report = (fault: LogFault) => {
    faults += 1
    onFault(fault)
  }
  const { newest, retired } = await readCheckpoints(client, keys, report)
  const { rows: heads } = await client.query<ChainHead>(CHAIN_HEADS)
  const gone = entriesIn(retired)
  const total = entriesUpTo(heads) - gone

  const walk = createChainWalk(report)
  walk.retire(retired)
  // The newest checkpoint alone would prove nothing of what is older: the service signs the heads that it finds, also
  // those of a log that was rewritten.
  const checkpoints = { text: 'select id, jws from audit_checkpoints order by id' }
  for await (const batch of cursorRows<StoredCheckpoint>(client, checkpoints, CHECKPOINTS)) {
    for (const { jws } of batch) {
      const checkpoint = await readCheckpoint(jws, keys)
      if (typeof checkpoint !== 'string') walk.expect(checkpoint.heads)
    }
    yield { done: 0, of: total }
  }
  const select = { text: `select ${ENTRY_COLUMNS} from decisions order by decisions.id` }
  for await (const batch of cursorRows<StoredEntry>(client, select, BATCH)) {
    for (const entry of batch) walk.take(toChainEntry(entry))
    yield { done: walk.entries, of: total }
  }
  walk.stand(heads)
  return { entries: walk.entries, chains: heads.length, retired: gone, checkpoint: newest?.time ?? null, faults }
}

/**
 * The newest valid checkpoint, and the ranges retired by all expiries. Reports every invalid row that claims to be
 * newer.
 */
const readCheckpoints = async (client: ClientBase, keys: StatementKeys, report: (fault: LogFault) => void) => {
  const { rows } = await client.query<StoredCheckpoint & { readonly kind: string }>(
    'select id, kind, jws from audit_checkpoints order by id',
  )
  const { newest, bad } = await newestCheckpoint(rows, keys)
  const faults = new Map(bad.map(({ id, why }) => [id, why]))
  const retired: RetiredRange[] = []
  // a statement that was inserted twice counts once
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
