import type { ClientBase } from 'pg'

import { readCheckpoint, type ChainHead, type Checkpoint, type StoredCheckpoint } from './checkpoint.js'
import type { StatementKeys } from './signed-statement.js'
import { CHAIN_HEADS } from './take-checkpoint.js'

interface CheckpointRow extends StoredCheckpoint {
  /** when it was stored, by the database's clock */
  readonly stored: string
}

export interface ValidCheckpoint extends CheckpointRow {
  readonly checkpoint: Checkpoint
}

/** ISO 8601; null: from the beginning. `from` is inclusive, `to` is not. */
interface Period {
  readonly from: string | null
  readonly to: string
}

/** The range of a chain's entries within a period. */
interface Block {
  readonly writer: string
  readonly first: string
  readonly last: string
}

/** The proof of a period: all entries between two checkpoints around it. */
export interface EvidenceSpan {
  /** the newest checkpoint before the period; null: the file begins where the log does */
  readonly before: ValidCheckpoint | null
  /** the first one after it; null: there is none yet, and the file ends where the log does */
  readonly after: ValidCheckpoint | null
  /** the chain heads at the end of the file */
  readonly heads: readonly ChainHead[]
  /** signed statements about retired entries of the span */
  readonly retired: readonly ValidCheckpoint[]
}

const PAGE = 200
const COLUMNS = `id::text, jws, time::text as stored`

const seqIn = (heads: readonly ChainHead[] | undefined, writer: string): bigint =>
  BigInt(heads?.find((head) => head.writer === writer)?.seq ?? 0)

/** Whether every chain is at least as long in `one` as in `other`. */
const reaches = (one: readonly ChainHead[], other: readonly ChainHead[]): boolean =>
  other.every(({ writer, seq }) => seqIn(one, writer) >= BigInt(seq))

const validIn = async (rows: readonly CheckpointRow[], keys: StatementKeys): Promise<readonly ValidCheckpoint[]> => {
  const read = await Promise.all(rows.map(async (row) => ({ ...row, checkpoint: await readCheckpoint(row.jws, keys) })))
  return read.flatMap(({ checkpoint, ...row }) => (typeof checkpoint === 'string' ? [] : [{ ...row, checkpoint }]))
}

/** The rows of a query, page by page; `$1` is the last id of the previous page. */
async function* pages(client: ClientBase, text: string, begin: string, values: readonly unknown[] = []) {
  for (let last = begin; ;) {
    const { rows } = await client.query<CheckpointRow>(`${text} limit ${PAGE}`, [last, ...values])
    yield rows
    if (rows.length < PAGE) return
    last = rows.at(-1)?.id ?? last
  }
}

const EARLIER = `
  select ${COLUMNS} from audit_checkpoints where id < $1 and time <= $2 order by audit_checkpoints.id desc`
const LATER = `
  select ${COLUMNS} from audit_checkpoints where id > $1 and time >= $2 order by audit_checkpoints.id`

const GREATEST_ID = '9223372036854775807'

/** Finds the checkpoints around a period. It checks which entries they cover, because clocks may have been wrong. */
export const findSpan = async (
  client: ClientBase,
  { from, to }: Period,
  keys: StatementKeys,
): Promise<EvidenceSpan> => {
  const { rows: blocks } = await client.query<Block>(
    `select writer::text, min(seq)::text as first, max(seq)::text as last
       from decisions where time >= $1 and time < $2 group by writer`,
    [from ?? '-infinity', to],
  )
  const before =
    from === null
      ? null
      : await firstValid(
          pages(client, EARLIER, GREATEST_ID, [from]),
          keys,
          ({ time, heads }) =>
            Date.parse(time) <= Date.parse(from) &&
            blocks.every(({ writer, first }) => seqIn(heads, writer) < BigInt(first)),
        )
  const after = await firstValid(
    pages(client, LATER, before?.id ?? '0', [to]),
    keys,
    ({ time, heads }) =>
      Date.parse(time) >= Date.parse(to) &&
      reaches(heads, before?.checkpoint.heads ?? []) &&
      blocks.every(({ writer, last }) => seqIn(heads, writer) >= BigInt(last)),
  )
  const heads = after?.checkpoint.heads ?? (await client.query<ChainHead>(CHAIN_HEADS)).rows
  const { rows: expiries } = await client.query<CheckpointRow>(
    `select distinct on (jws) ${COLUMNS} from audit_checkpoints where kind = 'expiry' order by jws`,
  )
  const retired = (await validIn(expiries, keys)).filter(({ checkpoint }) =>
    checkpoint.retired.some(
      ({ writer, first, last }) =>
        BigInt(last) > seqIn(before?.checkpoint.heads, writer) && BigInt(first) <= seqIn(heads, writer),
    ),
  )
  return { before, after, heads, retired }
}

const firstValid = async (
  pagesOfRows: AsyncIterable<readonly CheckpointRow[]>,
  keys: StatementKeys,
  isWanted: (checkpoint: Checkpoint) => boolean,
): Promise<ValidCheckpoint | null> => {
  for await (const rows of pagesOfRows) {
    const found = (await validIn(rows, keys)).find(({ checkpoint }) => isWanted(checkpoint))
    if (found !== undefined) return found
  }
  return null
}

/**
 * The checkpoints of a span in the order of signing. Leaves out those that are not valid, or that cover less than the
 * one before them (an old one inserted again).
 */
export async function* checkpointsOf(
  client: ClientBase,
  { before, after }: EvidenceSpan,
  keys: StatementKeys,
  onLeftOut: () => void,
): AsyncGenerator<ValidCheckpoint> {
  const between = `select ${COLUMNS} from audit_checkpoints where id > $1 and id <= $2 order by audit_checkpoints.id`
  let heads = before?.checkpoint.heads ?? []
  for await (const rows of pages(client, between, before?.id ?? '0', [after?.id ?? GREATEST_ID])) {
    const valid = await validIn(rows, keys)
    for (let i = valid.length; i < rows.length; i += 1) onLeftOut()
    for (const each of valid) {
      if (reaches(each.checkpoint.heads, heads)) {
        heads = each.checkpoint.heads
        yield each
      } else onLeftOut()
    }
  }
}

/** A span as an SQL condition on entries, with its values and the expected number of entries. */
export const entriesOfSpan = ({ before, heads, retired }: EvidenceSpan) => {
  const from = new Map((before?.checkpoint.heads ?? []).map(({ writer, seq }) => [writer, BigInt(seq)]))
  const ranges = retired.flatMap(({ checkpoint }) => checkpoint.retired)
  const expected = heads.reduce((sum, { writer, seq }) => {
    const [low, high] = [from.get(writer) ?? 0n, BigInt(seq)]
    const gone = ranges
      .filter((range) => range.writer === writer)
      .reduce((all, { first, last }) => all + overlap([low + 1n, high], [BigInt(first), BigInt(last)]), 0n)
    return sum + (high > low ? high - low : 0n) - gone
  }, 0n)
  const seqs = (all: readonly (readonly [string, string])[]) => JSON.stringify(Object.fromEntries(all))
  return {
    text: `seq > coalesce(($1::jsonb ->> writer::text)::bigint, 0)
       and seq <= coalesce(($2::jsonb ->> writer::text)::bigint, 0)`,
    values: [
      seqs([...from].map(([writer, seq]) => [writer, String(seq)])),
      seqs(heads.map(({ writer, seq }) => [writer, seq])),
    ],
    expected: String(expected),
  }
}

const overlap = ([a, b]: readonly [bigint, bigint], [c, d]: readonly [bigint, bigint]): bigint => {
  const [first, last] = [a > c ? a : c, b < d ? b : d]
  return last >= first ? last - first + 1n : 0n
}
