import { decodeJwt } from 'jose'
import { z } from 'zod'

import {
  readStatement,
  signStatement,
  type StatementKey,
  type StatementKeys,
  type StatementKind,
} from './signed-statement.js'

export const Hash = z.string().regex(/^[0-9a-f]{64}$/)
export const Count = z.string().regex(/^\d{1,19}$/)
const Head = z.object({ writer: Count, seq: Count, hash: Hash })
const Range = z
  .object({ writer: Count, first: Count, last: Count, previous: Hash, hash: Hash })
  // a range that ends before it begins would keep a verifier busy for ever
  .refine(({ first, last }) => BigInt(first) <= BigInt(last))
const Month = z.object({ month: z.string(), entries: z.number() })
const Checkpoint = z.object({
  time: z.string(),
  heads: z.array(Head),
  retired: z.array(Range),
  /** the months of these ranges; missing in statements of earlier versions */
  months: z.array(Month).optional(),
})

/** The head of a chain: the number and the hash (in hex) of its newest entry. */
export type ChainHead = z.infer<typeof Head>

/** A range of retired entries of one chain: the hash before the first, and the hash of the last. */
export type RetiredRange = z.infer<typeof Range>

export const entriesIn = (ranges: readonly RetiredRange[]): number =>
  ranges.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0)

/** How many entries chains with these heads have had. */
export const entriesUpTo = (heads: readonly Pick<ChainHead, 'seq'>[]): number =>
  heads.reduce((sum, { seq }) => sum + Number(seq), 0)

/** A signed statement of all chain heads at a time and, if months were retired, of their entries. */
export type Checkpoint = z.infer<typeof Checkpoint>

const CHECKPOINT: StatementKind<Checkpoint> = {
  type: 'linkgate-checkpoint+jwt',
  name: 'a checkpoint',
  schema: Checkpoint,
}

export const signCheckpoint = (key: StatementKey, checkpoint: Checkpoint): Promise<string> =>
  signStatement(key, CHECKPOINT, checkpoint)

/** The verified checkpoint, or the reason why it is not valid. */
export const readCheckpoint = (jws: string, keys: StatementKeys): Promise<Checkpoint | string> =>
  readStatement(jws, keys, CHECKPOINT)

/** An unchecked stored checkpoint: anybody who may write the log can add one. */
export interface StoredCheckpoint {
  readonly id: string
  readonly jws: string
}

/** The claimed signing time of a checkpoint, in milliseconds; NaN if it has none. */
const claimedTime = (jws: string): number => {
  try {
    return Date.parse(String(decodeJwt(jws)['time']))
  } catch {
    return NaN
  }
}

/**
 * The valid checkpoint that was signed last, whatever its row: rows may be garbage, and an old checkpoint may have been
 * inserted again. `bad`: checkpoints that were skipped on the way, with the reason.
 */
export const newestCheckpoint = async (stored: readonly StoredCheckpoint[], keys: StatementKeys) => {
  const bad: { readonly id: string; readonly why: string }[] = []
  const claimed = stored.map((each) => ({ ...each, time: claimedTime(each.jws) }))
  for (const { id, time } of claimed) if (Number.isNaN(time)) bad.push({ id, why: 'is not a checkpoint' })
  for (const { id, jws } of claimed.filter(({ time }) => !Number.isNaN(time)).toSorted((a, b) => b.time - a.time)) {
    const checkpoint = await readCheckpoint(jws, keys)
    if (typeof checkpoint !== 'string') return { newest: checkpoint, bad }
    bad.push({ id, why: checkpoint })
  }
  return { newest: null, bad }
}
