import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { Knex } from 'knex'

import { enterChange } from '../../database/change.js'
import type { Database } from '../../database/database.js'
import type { Statement } from '../../database/statement.js'
import { SQLSTATE, sqlState } from '../../database/errors.js'
import { Refusal } from '../../domain/refusal.js'
import type { Layers, Repeat } from '../route.js'
import type { Binding } from './context.js'
import { inTransaction } from './context.js'
import { knex, toKeptStatement, toStatement } from './query.js'
import { RecordChanged } from './record-changed.js'

/** For how long the same request gets the same answer; migrations/0008 sweeps what is older. */
export const KEY_LIFE_HOURS = 24

interface Row {
  readonly fingerprint: Buffer
  readonly salt: Buffer
  readonly secret_hash: Buffer
}

export interface RepeatParts {
  readonly database: Database
  /** the installation's key: secrets of answers are worked out from it, and it is never in the database */
  readonly key: KeyObject
}

/**
 * Looks up what was made under a caller's key within its life. Throws `idempotency_key_reused` (422) where that was
 * another request.
 */
export const findRepeat = ({ database, key }: RepeatParts): Layers['repeat'] => {
  const installation = key.export({ type: 'pkcs8', format: 'der' })
  return async (caller, { idempotencyKey, fingerprint }) => {
    const userId = caller.user?.id
    if (userId === undefined) throw new Error('a creation without a user has no key of its own')
    const keyHash = createHash('sha256').update(idempotencyKey).digest()
    const [row] = await inTransaction<Row>(
      database,
      { name: 'enter', text: 'select enter($1, $2)', values: ['users_own', userId] },
      { ...FIND, values: [keyHash] },
    )
    if (row !== undefined && !timingSafeEqual(row.fingerprint, fingerprint)) throw new Refusal('idempotency_key_reused')
    const salt = row?.salt ?? randomBytes(32)
    const secret = Buffer.from(
      hkdfSync('sha256', installation, salt, `linkgate repeatable secret\0${userId}\0${idempotencyKey}`, 32),
    )
    const secretHash = createHash('sha256').update(secret).digest()
    return {
      keyHash,
      fingerprint,
      salt,
      secretHash,
      known: row !== undefined,
      secret: () => {
        // another node's key made it, or the installation's was exchanged since
        if (row !== undefined && !timingSafeEqual(row.secret_hash, secretHash)) throw new Refusal('already_created')
        return secret
      },
    }
  }
}

const FIND = {
  name: 'find_repeat',
  text: `select fingerprint, salt, secret_hash from idempotency_keys where key_hash = $1 and created_at > now() - interval '${KEY_LIFE_HOURS} hours'`,
} as const

/** What is kept of what was made: the columns that the insertion answers, or a value where it may answer none. */
type Kept = { readonly columns: 'made' } | { readonly value: Readonly<Record<string, string>> }

/**
 * Sends an insertion and answers its rows. Under a key the key's row commits with it, or neither does; throws
 * `request_in_progress` (409) while another request has the key, and RecordChanged where that one has just been
 * answered.
 */
export const insertOnce = async <Inserted>(
  database: Database,
  binding: Binding,
  repeat: Repeat | null,
  insertion: Knex.QueryBuilder,
  { kept = { columns: 'made' }, name }: { readonly kept?: Kept; readonly name?: string } = {},
): Promise<readonly Inserted[]> => {
  if (repeat === null)
    return inTransaction<Inserted>(database, enterChange(binding.entering), toStatement(insertion, name))
  const claim: Statement = {
    name: 'claim_idempotency_key',
    text: 'select claim_idempotency_key($1)',
    values: [repeat.keyHash],
  }
  const key = [binding.userId, repeat.keyHash, repeat.fingerprint, repeat.salt, repeat.secretHash]
  const into = 'insert into idempotency_keys (user_id, key_hash, fingerprint, salt, secret_hash, record)'
  const both =
    'columns' in kept
      ? knex.raw(
          `with made as (?), kept as (${into} select ?::bigint, ?::bytea, ?::bytea, ?::bytea, ?::bytea, to_jsonb(made) from made) select * from made`,
          [insertion, ...key],
        )
      : knex.raw(`with made as (?) ${into} values (?::bigint, ?::bytea, ?::bytea, ?::bytea, ?::bytea, ?::jsonb)`, [
          insertion,
          ...key,
          JSON.stringify(kept.value),
        ])
  const [, , result] = await database
    .flush([enterChange(binding.entering), claim, toKeptStatement(both)])
    .catch((error: unknown) => {
      if (sqlState(error) === SQLSTATE.keyInUse)
        throw new Refusal('request_in_progress', { headers: { 'Retry-After': '1' }, cause: error })
      throw sqlState(error) === SQLSTATE.keySpent ? new RecordChanged() : error
    })
  return result?.rows ?? []
}

/**
 * What was made under a known key, as a row of its table: with the types, and to the microsecond, as it was answered
 * then.
 */
export const madeBefore = async <Made>(
  database: Database,
  binding: Binding,
  { keyHash }: Repeat,
  table: string,
  columns: readonly string[],
): Promise<Made> => {
  const [row] = await inTransaction<Made>(
    database,
    binding.read,
    toKeptStatement(
      knex.raw(
        `select ${columns.map(() => 'r.??').join(', ')} from idempotency_keys k, jsonb_populate_record(null::??, k.record) r where k.key_hash = ?`,
        [...columns, table, keyHash],
      ),
    ),
  )
  // swept in between: the key is free again
  if (!row) throw new RecordChanged()
  return row
}
