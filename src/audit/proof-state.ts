import {
  entriesIn,
  entriesUpTo,
  newestCheckpoint,
  readCheckpoint,
  type ChainHead,
  type StoredCheckpoint,
} from './checkpoint.js'
import { signerOf, type StatementKeys } from './signed-statement.js'

/** A checkpoint as it is stored, unchecked. */
interface CheckpointRow extends StoredCheckpoint {
  readonly kind: string
  readonly time: Date
}

export interface StoredProof {
  readonly chains: readonly (ChainHead & { readonly time: Date | null })[]
  /** newest first */
  readonly checkpoints: readonly CheckpointRow[]
  /** those that retired months */
  readonly expiries: readonly StoredCheckpoint[]
}

/** How many of the newest rows are searched for the newest checkpoint. */
const LOOKED_AT = 200
const LISTED = 20

/** The statements whose rows make a StoredProof, in its order. */
export const PROOF_STATEMENTS = [
  `select writer::text, seq::text, encode(hash, 'hex') as hash, time from audit_chains order by audit_chains.writer`,
  `select id::text, kind, jws, time from audit_checkpoints order by audit_checkpoints.id desc limit ${LOOKED_AT}`,
  `select distinct on (jws) id::text, jws from audit_checkpoints where kind = 'expiry' order by jws`,
] as const

/** How far the log is proved, without walking its entries. */
export const proofState = async ({ chains, checkpoints, expiries }: StoredProof, keys: StatementKeys) => {
  const [{ newest }, read, statements] = await Promise.all([
    newestCheckpoint(checkpoints, keys),
    Promise.all(
      checkpoints.slice(0, LISTED).map(async ({ id, kind, jws, time }) => {
        const checkpoint = await readCheckpoint(jws, keys)
        return {
          id,
          kind,
          time: typeof checkpoint === 'string' ? time.toISOString() : checkpoint.time,
          key: signerIn(jws),
          valid: typeof checkpoint !== 'string',
          why: typeof checkpoint === 'string' ? checkpoint : null,
        }
      }),
    ),
    Promise.all(expiries.map(({ jws }) => readCheckpoint(jws, keys))),
  ])
  const retired = statements.flatMap((statement) => (typeof statement === 'string' ? [] : [statement]))
  const gone = entriesIn(retired.flatMap((statement) => statement.retired))
  const total = entriesUpTo(chains)
  return {
    chains: chains.map(({ writer, seq, time }) => ({
      chain: writer,
      entries: Number(seq),
      newest_at: time?.toISOString() ?? null,
    })),
    entries: total - gone,
    retired: { entries: gone, months: retired.flatMap(({ months = [] }) => months) },
    checkpoints: read,
    /** the newest valid one */
    checkpoint: newest?.time ?? null,
    /** entries that no checkpoint covers yet */
    since_checkpoint: total - entriesUpTo(newest?.heads ?? []),
  }
}

const signerIn = (jws: string): string | null => {
  try {
    return signerOf(jws) || null
  } catch {
    return null
  }
}
