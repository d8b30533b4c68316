import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { CompactSign, calculateJwkThumbprint, compactVerify, decodeJwt, decodeProtectedHeader } from 'jose'
import type { ClientBase } from 'pg'
import { z } from 'zod'

import { ADVISORY_LOCKS } from '../database/advisory-locks.js'
import type { Database } from '../database/database.js'
import { AUDIT_WRITER } from '../database/decision-log.js'

/** The key that signs checkpoints: the one that signs the installation's tokens (identity/signing-key.ts). */
export interface CheckpointKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** Public keys by their thumbprints (RFC 7638). */
export type CheckpointKeys = ReadonlyMap<string, KeyObject>

// The verifier of access tokens takes no other type than its own, so a checkpoint never passes for a token.
const TYPE = 'linkgate-checkpoint+jwt'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Count = z.string().regex(/^\d{1,19}$/)
const Head = z.object({ writer: Count, seq: Count, hash: Hash })
const Range = z.object({ writer: Count, first: Count, last: Count, previous: Hash, hash: Hash })
const Checkpoint = z.object({ time: z.string(), heads: z.array(Head), retired: z.array(Range) })

/** Where a chain stands: the number and the hash (in hex) of its newest entry. */
export type ChainHead = z.infer<typeof Head>

/** Consecutive entries of one chain that were retired: the hash before the first, and the hash of the last. */
export type RetiredRange = z.infer<typeof Range>

export const entriesIn = (ranges: readonly RetiredRange[]): number =>
  ranges.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0)

/** A signed statement of where every chain stood at a time and, when months were retired, of their entries. */
export type Checkpoint = z.infer<typeof Checkpoint>

/** A JWS in compact form (RFC 7515), ES256. */
export const signCheckpoint = ({ kid, privateKey }: CheckpointKey, checkpoint: Checkpoint): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(checkpoint)))
    .setProtectedHeader({ alg: 'ES256', typ: TYPE, kid })
    .sign(privateKey)

/** The verified checkpoint, or a text that says why it is not valid. */
export const readCheckpoint = async (jws: string, keys: CheckpointKeys): Promise<Checkpoint | string> => {
  try {
    const { kid = '' } = decodeProtectedHeader(jws)
    const key = keys.get(kid)
    if (key === undefined) return `is signed with the key ${kid}, which was not given`
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    if (protectedHeader.typ !== TYPE) return 'is not a checkpoint'
    return Checkpoint.parse(JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    return 'has no valid signature'
  }
}

/** A stored checkpoint, as somebody who may write the log has put it there. */
export interface StoredCheckpoint {
  readonly id: string
  readonly jws: string
}

/** When a checkpoint says that it was signed, in milliseconds; NaN where it says nothing. */
const claimedTime = (jws: string): number => {
  try {
    return Date.parse(String(decodeJwt(jws)['time']))
  } catch {
    return NaN
  }
}

/**
 * The valid checkpoint that was signed last, wherever it stands: a row may be garbage, and a valid one may have been
 * put there again. `bad`: those that were passed over for it, with the reason.
 */
export const newestCheckpoint = async (stored: readonly StoredCheckpoint[], keys: CheckpointKeys) => {
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

/** An entry for CheckpointKeys, from a private or public key in PEM form. */
export const publicKeyOf = async (pem: string | KeyObject): Promise<readonly [string, KeyObject]> => {
  const key = typeof pem === 'string' ? createPublicKey(pem) : pem
  return [await calculateJwkThumbprint(key), key]
}

export const CHAIN_HEADS = `
  select writer::text, seq::text, encode(hash, 'hex') as hash from audit_chains order by audit_chains.writer`

/** Among so many of the newest rows the last checkpoint is looked for. Where all are bad, another is signed. */
const LOOKED_AT = 1_000

/**
 * Signs and stores where the chains stand now. Null where nothing was added since the newest checkpoint, where that one
 * is younger than `notWithinSeconds`, or where another process is signing.
 */
export const takeCheckpoint = async (
  database: Database,
  key: CheckpointKey,
  notWithinSeconds = 0,
): Promise<Checkpoint | null> =>
  database.transaction(async (client) => {
    const [, locks, { rows: stored }, { rows: heads }] = await Promise.all([
      client.query(`select enter('${AUDIT_WRITER}', null)`),
      client.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [ADVISORY_LOCKS.checkpoint]),
      client.query<StoredCheckpoint>('select id, jws from audit_checkpoints order by id desc limit $1', [LOOKED_AT]),
      client.query<ChainHead>(CHAIN_HEADS),
    ])
    if (locks.rows[0]?.held !== true) return null
    const { newest } = await newestCheckpoint(stored, new Map([[key.kid, createPublicKey(key.privateKey)]]))
    // of a time that is far off, whichever way, nobody waits for the next
    if (newest && Math.abs(Date.now() - Date.parse(newest.time)) < notWithinSeconds * 1_000) return null
    if (newest && JSON.stringify(newest.heads) === JSON.stringify(heads)) return null
    const checkpoint: Checkpoint = { time: new Date().toISOString(), heads, retired: [] }
    await storeCheckpoint(client, 'standing', key, checkpoint)
    return checkpoint
  })

/** Adds a signed checkpoint to the log. `expiry`: months of entries were dropped with it. */
export const storeCheckpoint = async (
  client: Pick<ClientBase, 'query'>,
  kind: 'standing' | 'expiry',
  key: CheckpointKey,
  checkpoint: Checkpoint,
): Promise<void> => {
  await client.query('insert into audit_checkpoints (kind, jws) values ($1, $2)', [
    kind,
    await signCheckpoint(key, checkpoint),
  ])
}
