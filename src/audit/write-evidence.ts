import { createHash } from 'node:crypto'

import type { ClientBase } from 'pg'

import { cursorRows } from '../database/cursor.js'
import { createChainWalk, type ChainFault } from './chain-walk.js'
import { ENTRY_COLUMNS, HASHED_FIELDS, toChainEntry, type StoredEntry } from './entry-hash.js'
import { EVIDENCE, evidenceLine, type EvidenceEnd } from './evidence.js'
import { checkpointsOf, entriesOfSpan, findSpan, type EvidenceSpan } from './evidence-span.js'
import { createSegments } from './segments.js'
import { signStatement, type StatementKey, type StatementKeys } from './signed-statement.js'
import type { Progress } from './verify-log.js'

/** The signer of evidence, and the issuer that the file names. */
export interface EvidenceSigner {
  readonly issuer: string
  readonly key: StatementKey
}

interface EvidenceOptions extends EvidenceSigner {
  readonly from: string | null
  /** default: now, and never later */
  readonly to: string | null
  /** the user who asked for it */
  readonly madeFor: string
  /** keys of checkpoints, some of which an earlier key of the installation may have signed */
  readonly keys: StatementKeys
  readonly onFault?: (fault: ChainFault) => void
  readonly onProgress?: (progress: Progress) => void
}

const BATCH = 1_000

/**
 * Writes the evidence file of a period (docs/audit.md), in the client's transaction, which has to be a single snapshot
 * of the log. The entries are verified on the way; faults are counted in the signed last line. Memory does not grow
 * with the period.
 */
export async function* writeEvidence(client: ClientBase, options: EvidenceOptions): AsyncGenerator<string> {
  const { issuer, key, madeFor, keys, onFault, onProgress } = options
  const madeAt = new Date()
  const wanted = options.to === null ? madeAt : new Date(options.to)
  const to = (wanted < madeAt ? wanted : madeAt).toISOString()
  const from = options.from === null ? null : new Date(options.from).toISOString()
  const span = await findSpan(client, { from, to }, keys)
  const { before, heads, retired } = span
  const place = await locate(client, span)

  const start = before?.checkpoint.heads ?? []
  const firsts = new Map<string, { readonly seq: string; readonly hash: string }>()
  let [faults, leftOut, entries] = [0, 0, 0]
  const walk = createChainWalk((fault) => {
    faults += 1
    onFault?.(fault)
  })
  for (const { checkpoint } of retired) walk.retire(checkpoint.retired)
  walk.startAt(start)
  const onLeftOut = () => {
    leftOut += 1
  }
  let lines: string[] = []
  const segments = await createSegments({
    checkpoints: checkpointsOf(client, span, keys, onLeftOut),
    start,
    onEntry: (entry) => {
      const { writer, seq, previous, hash, text } = entry
      walk.take(entry)
      if (!firsts.has(writer)) firsts.set(writer, { seq, hash })
      lines.push(evidenceLine({ type: 'entry', previous, hash, text }))
    },
    onCheckpoint: ({ jws, checkpoint }) => {
      walk.stand(checkpoint.heads)
      lines.push(evidenceLine({ type: 'checkpoint', jws }))
    },
    onLeftOut,
  })
  const sha256 = createHash('sha256')
  const written = (): string => {
    const text = lines.join('')
    lines = []
    sha256.update(text)
    return text
  }

  const { x = '', y = '' } = key.publicKey.export({ format: 'jwk' })
  lines.push(
    evidenceLine({
      type: 'evidence',
      version: 1,
      issuer,
      from,
      to,
      made_at: madeAt.toISOString(),
      made_for: madeFor,
      fields: [...HASHED_FIELDS],
      key: { kty: 'EC', crv: 'P-256', x, y },
    }),
    ...retired.map(({ jws }) => evidenceLine({ type: 'retired', jws })),
    ...(before === null ? [] : [evidenceLine({ type: 'start', jws: before.jws })]),
  )
  yield written()
  for await (const rows of cursorRows<StoredEntry>(client, place.select, BATCH)) {
    await segments.take(rows.map(toChainEntry))
    entries += rows.length
    const text = written()
    if (text !== '') yield text
    onProgress?.({ done: entries, of: place.entries })
  }
  await segments.finish()
  walk.stand(heads)
  const rest = written()
  const end: EvidenceEnd = {
    sha256: sha256.digest('hex'),
    entries,
    chains: heads.map(({ writer, ...last }) => ({ writer, first: firsts.get(writer) ?? null, last })),
    faults,
    left_out: leftOut,
  }
  yield rest + evidenceLine({ type: 'end', jws: await signStatement(key, EVIDENCE, end) })
}

/** Longer than any transaction lasts: it may write entries before a checkpoint and commit them after it. */
const MARGIN = `interval '1 day'`

/**
 * A select of the span's entries, in the order of ids. Times narrow the search; if that finds too few entries (a clock
 * was set back, a transaction took a day, entries are missing), the whole log is searched.
 */
const locate = async (client: ClientBase, span: EvidenceSpan) => {
  const { text, values, expected } = entriesOfSpan(span)
  const times = [span.before?.stored ?? '-infinity', span.after?.stored ?? 'infinity']
  const count = async (where: string, given: readonly unknown[]) => {
    const { rows } = await client.query<{ entries: string; first: string | null; last: string | null }>(
      `select count(*)::text as entries, min(id)::text as first, max(id)::text as last from decisions where ${where}`,
      [...given],
    )
    const { entries = '0', first = null, last = null } = rows[0] ?? {}
    return { where, given, entries, first, last }
  }
  const near = await count(`${text} and time >= $3::timestamptz - ${MARGIN} and time <= $4::timestamptz`, [
    ...values,
    ...times,
  ])
  const found = near.entries === expected ? near : await count(text, values)
  const { length } = found.given
  const where = `${found.where} and id between $${length + 1} and $${length + 2}`
  return {
    entries: Number(found.entries),
    select: {
      text: `select ${ENTRY_COLUMNS} from decisions where ${where} order by decisions.id`,
      values: [...found.given, found.first ?? '0', found.last ?? '0'],
    },
  }
}
