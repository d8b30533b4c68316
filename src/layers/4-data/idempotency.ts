import type { Database } from '../../database/database.js'
import type { Statement } from '../../database/statement.js'
import type { IdempotencyKey } from '../../input/idempotency-key.js'
import type { Binding } from './context.js'

/** How long a repeated creation is recognised. claim_idempotency_key() deletes older keys. */
export const KEY_LIFE_HOURS = 24

/**
 * Begins the change of a request. If the request has a key, the transaction claims it. Throws `request_in_progress`
 * (409) while another transaction holds the key, `idempotency_key_reused` (422) if it belongs to a different request,
 * and `already_created` (409) if it has already created something.
 */
const enterWithKey = ({ enterChange, userId, idempotencyKey: key }: Binding): readonly Statement[] =>
  key === null
    ? [enterChange()]
    : [
        // before all other locks: a retry must not overtake the original request while that waits for one of them
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

/** Stores the key without the created record: its answer has a secret, which is shown only once. */
const keepKey = ({ userId, idempotencyKey: key }: Binding): readonly Statement[] =>
  key === null
    ? []
    : [{ name: 'keep_key', text: `${INSERT} values ($1, $2, $3, null)`, values: [userId, key.hash, key.fingerprint] }]

/**
 * Inserts one row, once for each idempotency key, and returns it. `keep`: what stores the key. Throws as
 * `enterWithKey`.
 */
export const insertOnce = async <Row>(
  database: Database,
  binding: Binding,
  insert: Statement,
  keep = keepKey(binding),
): Promise<Row> => {
  const before = enterWithKey(binding)
  const results = await database.flush([...before, insert, ...keep], binding.deadline)
  const row: Row | undefined = results[before.length]?.rows[0]
  if (row === undefined) throw new Error('an insert answered no row')
  return row
}

/** Stores the key with the link that was just created, which answers a retry. */
export const keepLink = ({ userId, idempotencyKey: key }: Binding, code: string): readonly Statement[] =>
  key === null
    ? []
    : [
        {
          name: 'keep_link',
          text: `${INSERT} select $1, $2, $3, to_jsonb(l) - 'password_hash' from links l where l.code = $4`,
          values: [userId, key.hash, key.fingerprint, code],
        },
      ]

/** The link stored with a key, exactly as it was returned then, in types and down to the microsecond. */
export const keptLink = ({ hash }: IdempotencyKey, columns: readonly string[]): Statement => ({
  name: 'kept_link',
  text: `select ${columns.map((column) => `r.${column}`).join(', ')}
    from idempotency_keys k, jsonb_populate_record(null::links, k.record) r where k.key_hash = $1`,
  values: [hash],
})
