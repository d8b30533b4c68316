import type { ChainHead, RetiredRange } from './checkpoint.js'
import { entryHash } from './entry-hash.js'
import type { ChainEntry } from './entry-hash.js'

/** An entry that differs from what was written. */
export interface ChainFault {
  readonly kind: 'altered' | 'missing' | 'inserted'
  readonly writer: string
  /** the entry's number in its chain; for several missing entries the first, with `last` */
  readonly seq: string
  readonly last?: string
  /** the record's id; null if it is missing */
  readonly id: string | null
}

interface ChainWalkOptions {
  /** the heads of the chains before the first entry; default: their beginnings */
  readonly start?: readonly ChainHead[]
  readonly retired?: readonly RetiredRange[]
  /** the heads that checkpoints signed, of each chain in order; the entries must match all of them */
  readonly signed?: readonly ChainHead[]
  readonly onFault: (fault: ChainFault) => void
}

/** An entry and its claimed place in the chain. */
interface Place {
  readonly seq: bigint
  /** null: no entry, but the start of the chain or the end of a retired range */
  readonly id: string | null
  readonly previous: string
  readonly hash: string
  isReported: boolean
}

interface Chain {
  readonly writer: string
  /** the newest entry that was accepted */
  last: Place
  /** undecided entries, by their numbers */
  pending: readonly Place[]
}

/** What checkpoints signed of a chain, in order, and the next to compare. */
interface SignedHeads {
  readonly all: { readonly seq: bigint; readonly hash: string }[]
  next: number
}

/** How many entries stay pending: later ones show which of two is genuine, and whether one is missing. */
const LOOKAHEAD = 8

const follows = (next: Place, { seq, hash }: Place): boolean => next.seq === seq + 1n && next.previous === hash

const isWithin = (seq: bigint, { first, last }: RetiredRange): boolean => BigInt(first) <= seq && seq <= BigInt(last)

/**
 * Walks the chains of the decision log, and reports every entry that was altered, removed or inserted. A moved entry
 * counts as altered, because its place is part of its hash. Memory does not grow with the number of entries.
 */
export const createChainWalk = ({ start = [], retired = [], signed = [], onFault }: ChainWalkOptions) => {
  const chains = new Map<string, Chain>()
  const signedOf = new Map<string, SignedHeads>()
  for (const { writer, seq, hash } of signed) {
    const heads = signedOf.get(writer) ?? { all: [], next: 0 }
    heads.all.push({ seq: BigInt(seq), hash })
    signedOf.set(writer, heads)
  }
  let entries = 0

  const chainOf = (writer: string): Chain => {
    const last = { seq: 0n, id: null, previous: '', hash: '0'.repeat(64), isReported: false }
    const chain = chains.get(writer) ?? { writer, last, pending: [] }
    chains.set(writer, chain)
    return chain
  }
  const report = ({ writer }: Chain, kind: 'altered' | 'inserted', place: Place) => {
    if (!place.isReported) onFault({ kind, writer, seq: String(place.seq), id: place.id })
    place.isReported = true
  }
  const reportMissing = ({ writer, last }: Chain, to: bigint) =>
    onFault({ kind: 'missing', writer, seq: String(last.seq + 1n), last: String(to), id: null })

  const isRetired = (writer: string, seq: bigint): boolean =>
    retired.some((range) => range.writer === writer && isWithin(seq, range))
  const accept = (chain: Chain, place: Place) => {
    chain.last = place
    const heads = signedOf.get(chain.writer)
    if (heads === undefined) return
    let head = heads.all[heads.next]
    // of earlier entries that were retired, the signature over their range replaces the one over the head
    while (head !== undefined && head.seq <= place.seq) {
      if (head.seq === place.seq && head.hash !== place.hash) report(chain, 'altered', place)
      heads.next += 1
      head = heads.all[heads.next]
    }
  }
  const skipRetired = (chain: Chain): boolean => {
    const range = retired.find(
      ({ writer, first, previous }) =>
        writer === chain.writer && BigInt(first) === chain.last.seq + 1n && previous === chain.last.hash,
    )
    if (range === undefined) return false
    accept(chain, { seq: BigInt(range.last), id: null, previous: '', hash: range.hash, isReported: false })
    return true
  }

  /** Decides about the pending entry with the smallest number. False if nothing is left to decide. */
  const decide = (chain: Chain, head?: ChainHead): boolean => {
    if (skipRetired(chain)) return true
    const { last, pending } = chain
    const [nearest] = pending
    if (nearest === undefined) return false
    const isFollowed = (place: Place) => pending.some((other) => follows(other, place))
    const rivals = pending.filter(({ seq }) => seq === nearest.seq)
    const genuine =
      rivals.find(isFollowed) ??
      rivals.find(({ hash }) => hash === head?.hash) ??
      rivals.find((place) => follows(place, last)) ??
      nearest
    chain.pending = pending.filter((place) => place !== genuine)
    const isGap = genuine.seq > last.seq + 1n
    if (genuine.seq <= last.seq || (isGap && !isFollowed(genuine) && pending.length > 1)) {
      report(chain, 'inserted', genuine)
      return true
    }
    if (isGap) reportMissing(chain, genuine.seq - 1n)
    // the genuine entry's own hash is right, so the entry before it was rewritten together with its hash
    else if (!follows(genuine, last)) report(chain, 'altered', last.id === null ? genuine : last)
    accept(chain, genuine)
    return true
  }

  const compare = (chain: Chain, head: ChainHead | undefined) => {
    while (decide(chain, head)) continue
    const { last } = chain
    const standing = BigInt(head?.seq ?? 0)
    const newest = signedOf.get(chain.writer)?.all.at(-1)?.seq ?? 0n
    const end = newest > standing ? newest : standing
    if (end > last.seq) reportMissing(chain, end)
    else if (standing < last.seq && !isRetired(chain.writer, standing)) report(chain, 'inserted', last)
    else if (standing === last.seq && standing > 0n && head?.hash !== last.hash) report(chain, 'altered', last)
    if (head === undefined || standing === last.seq || isRetired(chain.writer, standing)) return
    // the walk continues from the expected head
    chain.last = { seq: standing, id: null, previous: '', hash: head.hash, isReported: true }
  }

  for (const { writer, seq, hash } of start) {
    const range = retired.find((each) => each.writer === writer && isWithin(BigInt(seq), each))
    const place = range === undefined ? { seq, hash } : { seq: range.last, hash: range.hash }
    const last = { seq: BigInt(place.seq), id: null, previous: '', hash: place.hash, isReported: false }
    chains.set(writer, { writer, last, pending: [] })
  }

  return {
    get entries() {
      return entries
    },
    /** Takes the next entry of the log, in the order of ids. */
    take: (entry: ChainEntry) => {
      entries += 1
      const chain = chainOf(entry.writer)
      const { id, previous, hash } = entry
      const place = { seq: BigInt(entry.seq), id, previous, hash, isReported: false }
      if (entryHash(entry) !== hash) report(chain, 'altered', place)
      chain.pending = [...chain.pending, place].sort((a, b) => Number(a.seq - b.seq))
      while (chain.pending.length > LOOKAHEAD) decide(chain)
    },
    /** Compares the chains with their expected heads after the entries so far. Each fault is reported once. */
    stand: (heads: readonly ChainHead[]) => {
      for (const writer of [...heads.map((head) => head.writer), ...signedOf.keys()]) chainOf(writer)
      for (const chain of chains.values()) {
        compare(
          chain,
          heads.find(({ writer }) => writer === chain.writer),
        )
      }
    },
  }
}
