import type { Statement } from '../../database/statement.js'
import type { IdempotencyKey } from '../../input/idempotency-key.js'
import type { Binding } from './context.js'

/** For how long a repeated creation is recognised; claim_idempotency_key() deletes what is older. */
export const KEY_LIFE_HOURS = 24

/**
 * Begins the change of a request that may have a key, which this transaction then takes. `request_in_progress` (409)
 * while another request has it, `idempotency_key_reused` (422) where it belongs to another request, and
 * `already_created` (409) where it made something.
 */
export const enterWithKey = (key: IdempotencyKey | null, { enterChange, userId }: Binding): readonly Statement[] =>
  key === null
    ? [enterChange()]
    : [
        // before all other locks: a repetition must not overtake a request that waits for one of them
        {
          name: 'lock_idempotency_key',
          text: 'select lock_idempotency_key($1, $2)',
          values: [userId, key.hash],
        },
        enterChange(),
        {
          name: 'claim_idempotency_key',
          text: 'select claim_idempotency_key($1, $2)',
          values: [key.hash, key.fingerprint],
        },
      ]

const INSERT = 'insert into idempotency_keys (user_id, key_hash, fingerprint, record)'

/** Keeps the key with what was just made. What has a secret in its answer is not kept: it is shown once. */
export const keepKey = (key: IdempotencyKey | null, { userId }: Binding): readonly Statement[] =>
  key === null
    ? []
    : [{ name: 'keep_key', text: `${INSERT} values ($1, $2, $3, null)`, values: [userId, key.hash, key.fingerprint] }]

/** Keeps the key with the link that was just made: a repeated creation is answered by it. */
export const keepLink = (key: IdempotencyKey | null, { userId }: Binding, code: string): readonly Statement[] =>
  key === null
    ? []
    : [
        {
          name: 'keep_link',
          text: `${INSERT} select $1, $2, $3, to_jsonb(l) - 'password_hash' from links l where l.code = $4`,
          values: [userId, key.hash, key.fingerprint, code],
        },
      ]

/** The link that was made under a key, with the types, and to the microsecond, as it was answered then. */
export const keptLink = ({ hash }: IdempotencyKey, columns: readonly string[]): Statement => ({
  name: 'kept_link',
  text: `select ${columns.map((column) => `r.${column}`).join(', ')}
    from idempotency_keys k, jsonb_populate_record(null::links, k.record) r where k.key_hash = $1`,
  values: [hash],
})
