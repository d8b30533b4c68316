import { createHash } from 'node:crypto'

import { DECISION_COLUMNS } from '../domain/decision-record.js'

const { time, resource_id: resourceId, ...decision } = DECISION_COLUMNS

/** The columns that an entry's hash covers, in this order, with their PostgreSQL types. */
const HASHED = {
  writer: 'integer',
  seq: 'bigint',
  id: 'bigint',
  time,
  kind: 'text',
  ...decision,
  change: 'jsonb',
  resource_id: resourceId,
} as const
const COLUMNS = Object.entries(HASHED)

/** An entry of the decision log, every column as text: `time` in seconds since 1970, hashes in hex. */
export interface StoredEntry extends Readonly<Record<string, string | null>> {
  readonly writer: string
  readonly seq: string
  readonly id: string
  /** the hash of the entry before; 64 zeros before the first */
  readonly previous: string
  readonly hash: string
}

/** Selects the columns of a StoredEntry; none of them depends on the session's time zone. */
export const ENTRY_COLUMNS = [
  ...COLUMNS.map(([name, type]) =>
    type === 'timestamptz' ? `extract(epoch from ${name})::text as ${name}` : `${name}::text`,
  ),
  ...['previous', 'hash'].map((name) => `encode(${name}, 'hex') as ${name}`),
].join(', ')

/** An entry and its claimed place in the chain, with the text that its hash covers. */
export interface ChainEntry extends Pick<StoredEntry, 'writer' | 'seq' | 'id' | 'previous' | 'hash'> {
  /** all fields, as a JSON array */
  readonly text: string
}

/** The names of the text's fields. The last, resource_id, is left out if it is null. */
export const HASHED_FIELDS: readonly string[] = Object.keys(HASHED)

/** The text that an entry's hash covers, written as the trigger function chain_decision writes it. */
export const toChainEntry = (entry: StoredEntry): ChainEntry => {
  const { writer, seq, id, previous, hash } = entry
  // an entry without a resource_id is hashed as before that column existed
  const columns = entry['resource_id'] === null ? COLUMNS.filter(([name]) => name !== 'resource_id') : COLUMNS
  const fields = columns.map(([name, type]) => {
    const value = entry[name] ?? null
    return value === null || type === 'text' ? JSON.stringify(value) : value
  })
  return { writer, seq, id, previous, hash, text: `[${fields.join(', ')}]` }
}

/**
 * SHA-256, in hex, of the previous hash and the entry's text, as chain_decision computes it. It is computed again here,
 * so that replacing the database's function does not change the result.
 */
export const entryHash = ({ previous, text }: Pick<ChainEntry, 'previous' | 'text'>): string =>
  createHash('sha256').update(previous, 'hex').update(text).digest('hex')
