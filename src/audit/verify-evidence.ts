import { createHash, createPublicKey } from 'node:crypto'

import { createChainWalk, type ChainFault } from './chain-walk.js'
import { readCheckpoint, type ChainHead, type Checkpoint } from './checkpoint.js'
import { END_LINE, EVIDENCE, EvidenceLine, OtherVersion, type EvidenceEnd, type EvidenceHeader } from './evidence.js'
import { readLines } from './read-lines.js'
import { publicKeyOf, readStatement, signerOf, type StatementKeys } from './signed-statement.js'

/** A fault of an entry, of a line (by number), or of the file as a whole. */
export type EvidenceFault =
  | ChainFault
  | { readonly kind: 'line'; readonly line: number; readonly why: string }
  | { readonly kind: 'file'; readonly why: string }

export interface EvidenceVerdict {
  /** null: the file has no readable header */
  readonly header: EvidenceHeader | null
  /** thumbprint of the key that signed the file; null: no valid signature */
  readonly signed_by: string | null
  /** true if that key was given; otherwise only the file itself claims that it belongs to the installation */
  readonly pinned: boolean
  readonly entries: number
  /** entries within the period; the others connect it to the checkpoints around it */
  readonly in_period: number
  readonly chains: number
  readonly checkpoints: number
  /** when the last checkpoint of the file was signed; null: it has none */
  readonly checkpoint: string | null
  /** entries after that checkpoint, proved only by the signature of the file */
  readonly after_checkpoint: number
  readonly faults: number
}

interface VerifyEvidenceOptions {
  /** known keys of the installation; if empty, the file's own key is used */
  readonly pinned: StatementKeys
  readonly onFault: (fault: EvidenceFault) => void
}

/**
 * An entry's place in its chain, at the beginning of its text. Kept as digits, which may exceed a JavaScript number.
 */
const PLACE = /^\[(\d{1,19}), (\d{1,19}), (\d{1,19}), (-?\d{1,15}(?:\.\d{1,6})?), /

/** The order of the lines. */
const RANK = { evidence: 0, retired: 1, start: 2, entry: 3, checkpoint: 3, end: 4 } as const
const ONCE: ReadonlySet<EvidenceLine['type']> = new Set(['evidence', 'start'])

/** Verifies an evidence file (docs/audit.md) from its bytes alone. Memory does not grow with the file. */
export const verifyEvidence = async (
  chunks: AsyncIterable<Buffer>,
  { pinned, onFault }: VerifyEvidenceOptions,
): Promise<EvidenceVerdict> => {
  let faults = 0
  const report = (fault: EvidenceFault) => {
    faults += 1
    onFault(fault)
  }
  const walk = createChainWalk(report)
  const sha256 = createHash('sha256')
  const firsts = new Map<string, Pick<ChainHead, 'seq' | 'hash'>>()
  let keys = pinned
  let header: EvidenceHeader | null = null
  let end: { readonly jws: string; readonly sha256: string } | null = null
  let newest: string | null = null
  let [line, rank, inPeriod, checkpoints, since] = [0, 0, 0, 0, 0]
  const checkpointIn = async (jws: string): Promise<Checkpoint | null> => {
    const checkpoint = await readCheckpoint(jws, keys)
    if (typeof checkpoint !== 'string') return checkpoint
    report({ kind: 'line', line, why: `the checkpoint ${checkpoint}` })
    return null
  }

  const takeEntry = ({ previous, hash, text }: Extract<EvidenceLine, { type: 'entry' }>) => {
    const [, writer, seq, id, time] = PLACE.exec(text) ?? []
    if (writer === undefined || seq === undefined || id === undefined)
      return report({ kind: 'line', line, why: 'the text of the entry does not begin with its place' })
    walk.take({ writer, seq, id, previous, hash, text })
    if (!firsts.has(writer)) firsts.set(writer, { seq, hash })
    if (isWithin(Number(time) * 1_000, header)) inPeriod += 1
    since += 1
  }
  const take = async (read: EvidenceLine) => {
    switch (read.type) {
      case 'evidence': {
        header = read
        if (pinned.size === 0) keys = await keyIn(read, () => report({ kind: 'line', line, why: 'names no key' }))
        return
      }
      case 'retired': {
        walk.retire((await checkpointIn(read.jws))?.retired ?? [])
        return
      }
      case 'start': {
        const start = await checkpointIn(read.jws)
        if (start === null) return
        walk.startAt(start.heads)
        if (header !== null && !(Date.parse(start.time) <= Date.parse(header.from ?? '')))
          report({ kind: 'line', line, why: 'the first checkpoint is not from before the period' })
        return
      }
      case 'entry':
        return takeEntry(read)
      case 'checkpoint': {
        const checkpoint = await checkpointIn(read.jws)
        if (checkpoint === null) return
        walk.stand(checkpoint.heads)
        checkpoints += 1
        since = 0
        newest = checkpoint.time
        return
      }
      case 'end': {
        end = { jws: read.jws, sha256: sha256.digest('hex') }
      }
    }
  }

  try {
    for await (const bytes of readLines(chunks)) {
      line += 1
      if (end !== null) {
        report({ kind: 'line', line, why: 'comes after the end' })
        break
      }
      const read = lineIn(bytes)
      if (typeof read === 'string' || read.type !== 'end') sha256.update(bytes)
      if (typeof read !== 'string' && RANK[read.type] >= rank && (line > 1 || read.type === 'evidence')) {
        rank = RANK[read.type] + (ONCE.has(read.type) ? 1 : 0)
        await take(read)
        continue
      }
      report({ kind: 'line', line, why: typeof read === 'string' ? read : `has no place there: ${read.type}` })
      if (line === 1) break
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    report({ kind: 'line', line: line + 1, why: error.message })
  }

  const signed = await signedEnd(end, keys, report)
  if (signed !== null) {
    compareWithEnd(signed.end, walk.entries, firsts, report)
    walk.stand(signed.end.chains.map(({ writer, last }) => ({ writer, ...last })))
  }
  return {
    header,
    signed_by: signed?.kid ?? null,
    pinned: signed !== null && pinned.has(signed.kid),
    entries: walk.entries,
    in_period: inPeriod,
    chains: signed?.end.chains.length ?? firsts.size,
    checkpoints,
    checkpoint: newest,
    after_checkpoint: since,
    faults,
  }
}

/** The file's own key. */
const keyIn = async ({ key }: EvidenceHeader, onFault: () => void): Promise<StatementKeys> => {
  try {
    return new Map([await publicKeyOf(createPublicKey({ key, format: 'jwk' }))])
  } catch {
    onFault()
    return new Map()
  }
}

/** The line, or why it is none. */
const lineIn = (bytes: Buffer): EvidenceLine | string => {
  const text = bytes.toString()
  const json = jsonIn(text)
  const { success, data: read } = EvidenceLine.safeParse(json)
  if (success) return read.type === 'end' && !END_LINE.test(text) ? UNREADABLE : read
  const other = OtherVersion.safeParse(json)
  return other.success ? `is of version ${other.data.version}, which this program does not know` : UNREADABLE
}

const UNREADABLE = 'cannot be read'

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isWithin = (ms: number, header: EvidenceHeader | null): boolean =>
  header !== null && (header.from === null || ms >= Date.parse(header.from)) && ms < Date.parse(header.to)

type Report = (fault: EvidenceFault) => void

/** What the file's last line signs, and the key. Null if it has no valid one, which is reported. */
const signedEnd = async (
  end: { readonly jws: string; readonly sha256: string } | null,
  keys: StatementKeys,
  report: Report,
): Promise<{ readonly kid: string; readonly end: EvidenceEnd } | null> => {
  if (end === null) {
    report({ kind: 'file', why: 'has no end: it broke off' })
    return null
  }
  const read = await readStatement(end.jws, keys, EVIDENCE)
  if (typeof read === 'string') {
    report({ kind: 'file', why: read })
    return null
  }
  if (read.sha256 !== end.sha256) report({ kind: 'file', why: 'does not hold what was signed: a byte was changed' })
  if (read.faults > 0)
    report({ kind: 'file', why: `was made of a log that was not intact (${read.faults} found then)` })
  return { kid: signerOf(end.jws), end: read }
}

const compareWithEnd = (
  end: EvidenceEnd,
  entries: number,
  firsts: ReadonlyMap<string, Pick<ChainHead, 'seq' | 'hash'>>,
  report: Report,
) => {
  if (end.entries !== entries)
    report({ kind: 'file', why: `holds ${entries} entries, and not the ${end.entries} that were signed` })
  for (const { writer, first } of end.chains) {
    const begins = firsts.get(writer)
    if (begins?.seq !== first?.seq || begins?.hash !== first?.hash)
      report({ kind: 'file', why: `chain ${writer} does not begin with the entry that was signed` })
  }
}
