import { createHash } from 'node:crypto'

/** An entry of the decision log as text, column by column: what its hash is made of. */
export interface StoredEntry {
  readonly writer: string
  readonly seq: string
  readonly id: string
  /** seconds since 1970 with six decimals, as PostgreSQL writes them */
  readonly time: string
  readonly kind: string
  readonly request_id: string
  readonly revision: string
  readonly layer: string | null
  readonly subject_id: string | null
  readonly subject_role: string | null
  readonly token_id: string | null
  readonly network: string | null
  readonly action: string | null
  readonly resource_type: string
  readonly resource_code: string | null
  readonly relation: string | null
  readonly effect: string | null
  readonly rule: string | null
  readonly row_priority: string | null
  readonly status: string | null
  /** as PostgreSQL writes jsonb */
  readonly change: string | null
  /** hash of the entry before, in hex; 64 zeros before the first */
  readonly previous: string
  /** this entry's own, in hex */
  readonly hash: string
}

/** The columns of a StoredEntry, for a select; nothing of it depends on the session's time zone. */
export const ENTRY_COLUMNS = `writer::text, seq::text, id::text, extract(epoch from time)::text as time, kind, request_id, revision::text, layer,
  subject_id::text, subject_role, token_id, network, action, resource_type, resource_code, relation, effect, rule, row_priority::text,
  status::text, change::text, encode(previous, 'hex') as previous, encode(hash, 'hex') as hash`

/**
 * SHA-256, in hex, of the hash before and the JSON array of all fields, as the trigger `chain_decision` makes it
 * (migrations/functions/chain_decision.sql). Computed here a second time: who changes the database's function does not
 * change this answer.
 */
export const entryHash = (entry: StoredEntry): string => {
  const number = (value: string | null) => value ?? 'null'
  const text = (value: string | null) => (value === null ? 'null' : JSON.stringify(value))
  const fields = [
    number(entry.writer),
    number(entry.seq),
    number(entry.id),
    number(entry.time),
    text(entry.kind),
    text(entry.request_id),
    number(entry.revision),
    text(entry.layer),
    number(entry.subject_id),
    text(entry.subject_role),
    text(entry.token_id),
    text(entry.network),
    text(entry.action),
    text(entry.resource_type),
    text(entry.resource_code),
    text(entry.relation),
    text(entry.effect),
    text(entry.rule),
    number(entry.row_priority),
    number(entry.status),
    number(entry.change),
  ]
  return createHash('sha256')
    .update(entry.previous, 'hex')
    .update(`[${fields.join(', ')}]`)
    .digest('hex')
}
