import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import { CompactSign, calculateJwkThumbprint, compactVerify, decodeJwt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'

import type { Database } from '../database/database.js'
import type { ChainHead, RetiredRange } from './chain-walk.js'

/** What signs checkpoints: the key that signs the installation's tokens (identity/signing-key.ts). */
export interface CheckpointKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** Public keys by their thumbprints (RFC 7638). */
export type CheckpointKeys = ReadonlyMap<string, KeyObject>

/** A signed statement of where every chain stood at a time, and, at an expiry, of what was retired. */
export interface Checkpoint {
  readonly time: string
  readonly heads: readonly ChainHead[]
  readonly retired: readonly RetiredRange[]
}

// no access token is of this type, and the verifier of tokens takes no other than its own
const TYPE = 'linkgate-checkpoint+jwt'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Count = z.string().regex(/^\d{1,19}$/)
const Payload = z.object({
  time: z.string(),
  heads: z.array(z.object({ writer: Count, seq: Count, hash: Hash })),
  retired: z.array(z.object({ writer: Count, first: Count, last: Count, previous: Hash, hash: Hash })),
})

/** A JWS in compact form (RFC 7515), ES256. */
export const signCheckpoint = async ({ kid, privateKey }: CheckpointKey, checkpoint: Checkpoint): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(checkpoint)))
    .setProtectedHeader({ alg: 'ES256', typ: TYPE, kid })
    .sign(privateKey)

/** What a checkpoint says; a text says why it cannot be believed. */
export const readCheckpoint = async (jws: string, keys: CheckpointKeys): Promise<Checkpoint | string> => {
  try {
    const { kid = '' } = decodeProtectedHeader(jws)
    const key = keys.get(kid)
    if (key === undefined) return `is signed with the key ${kid}, which is not at hand`
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    if (protectedHeader.typ !== TYPE) return 'is no checkpoint'
    return Payload.parse(JSON.parse(new TextDecoder().decode(payload)))
  } catch {
    return 'is not as it was signed'
  }
}

/** A key's entry in CheckpointKeys, from a private or public key in PEM form. */
export const publicKeyOf = async (pem: string | KeyObject): Promise<readonly [string, KeyObject]> => {
  const key = typeof pem === 'string' ? createPublicKey(pem) : pem
  const { kty = '', crv = '', x = '', y = '' } = key.export({ format: 'jwk' })
  return [await calculateJwkThumbprint({ kty, crv, x, y }), key]
}

export const HEADS = `select writer::text, seq::text, encode(hash, 'hex') as hash from audit_chains order by audit_chains.writer`

/**
 * Signs where the chains stand now, and keeps it in the database. Answers it, or null where nothing was added since the
 * newest one, where that one is younger than `notWithinSeconds`, or where another process is about it.
 */
export const takeCheckpoint = async (
  database: Database,
  key: CheckpointKey,
  notWithinSeconds = 0,
): Promise<Checkpoint | null> =>
  database.transaction(async (client) => {
    const [
      ,
      {
        rows: [lock],
      },
      {
        rows: [newest],
      },
      { rows: heads },
    ] = await Promise.all([
      client.query(`select enter('audit_writer', null)`),
      client.query<{ mine: boolean }>('select pg_try_advisory_xact_lock(7274506) as mine'),
      client.query<{ jws: string; seconds: number }>(
        'select jws, extract(epoch from clock_timestamp() - time)::float as seconds from audit_checkpoints order by id desc limit 1',
      ),
      client.query<ChainHead>(HEADS),
    ])
    if (lock?.mine !== true) return null
    if (
      newest &&
      (newest.seconds < notWithinSeconds || JSON.stringify(decodeJwt(newest.jws)['heads']) === JSON.stringify(heads))
    )
      return null
    const checkpoint: Checkpoint = { time: new Date().toISOString(), heads, retired: [] }
    await client.query(`insert into audit_checkpoints (kind, jws) values ('standing', $1)`, [
      await signCheckpoint(key, checkpoint),
    ])
    return checkpoint
  })
