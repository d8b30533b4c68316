import type { ChainHead, RetiredRange } from './checkpoint.js'
import { entryHash, type ChainEntry } from './entry-hash.js'

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

/** An entry and its claimed place in the chain. */
interface Place {
  readonly seq: bigint
  readonly hash: string
  readonly previous: string
  /** null: no entry, but the start of the chain, the end of a retired range or an expected head */
  readonly id: string | null
}

interface Range {
  readonly first: bigint
  readonly last: bigint
  readonly previous: string
  readonly hash: string
}

interface Chain {
  readonly writer: string
  readonly retired: readonly Range[]
  /** the signed hashes by their places; '' where checkpoints contradict each other, which no entry matches */
  readonly signed: Map<bigint, string>
  /** the newest entry that was accepted */
  last: Place
  /** undecided entries, by their numbers */
  pending: readonly Place[]
}

/** How many entries stay pending: later ones show which of two is genuine, and whether one is missing. */
const LOOKAHEAD = 8

const placeWithoutEntry = (seq: bigint, hash: string): Place => ({ seq, hash, previous: '', id: null })

const follows = (next: Place, { seq, hash }: Place): boolean => next.seq === seq + 1n && next.previous === hash

const isFollowed = (place: Place, pending: readonly Place[]): boolean => pending.some((next) => follows(next, place))

/** Of the pending entries with the smallest number, the one that the chain continues with. */
const genuineOf = ({ last, pending }: Chain, head: ChainHead | undefined): Place | undefined => {
  const rivals = pending.filter(({ seq }) => seq === pending[0]?.seq)
  return (
    rivals.find((place) => isFollowed(place, pending)) ??
    rivals.find(({ hash }) => hash === head?.hash) ??
    rivals.find((place) => follows(place, last)) ??
    rivals[0]
  )
}

/** The retired range with this place. */
const rangeAt = ({ retired }: Chain, seq: bigint): Range | undefined =>
  retired.find(({ first, last }) => first <= seq && seq <= last)

/**
 * Walks the chains of the decision log, and reports every entry that was altered, removed or inserted. A moved entry
 * counts as altered, because its place is part of its hash. Memory does not grow with the number of entries. Call
 * `retire`, `startAt` and `expect` before the first entry, in this order.
 */
export const createChainWalk = (onFault: (fault: ChainFault) => void) => {
  const chains = new Map<string, Chain>()
  const retiredOf = new Map<string, Range[]>()
  const reported = new WeakSet<Place>()
  let entries = 0

  const rangesOf = (writer: string): Range[] => {
    const ranges = retiredOf.get(writer) ?? []
    retiredOf.set(writer, ranges)
    return ranges
  }
  const chainOf = (writer: string): Chain => {
    const known = chains.get(writer)
    if (known !== undefined) return known
    const last = placeWithoutEntry(0n, '0'.repeat(64))
    const chain = { writer, retired: rangesOf(writer), signed: new Map(), last, pending: [] }
    chains.set(writer, chain)
    return chain
  }
  const report = ({ writer }: Chain, kind: 'altered' | 'inserted', place: Place) => {
    if (!reported.has(place)) onFault({ kind, writer, seq: String(place.seq), id: place.id })
    reported.add(place)
  }
  const reportMissing = ({ writer, last }: Chain, to: bigint) =>
    onFault({ kind: 'missing', writer, seq: String(last.seq + 1n), last: String(to), id: null })

  const accept = (chain: Chain, place: Place) => {
    chain.last = place
    if ((chain.signed.get(place.seq) ?? place.hash) !== place.hash) report(chain, 'altered', place)
  }

  /** Decides about the pending entries with the smallest number, or passes a retired range. False if there is none. */
  const advance = (chain: Chain, head?: ChainHead): boolean => {
    const { last, pending, retired } = chain
    const range = retired.find(({ first, previous }) => first === last.seq + 1n && previous === last.hash)
    if (range !== undefined) {
      accept(chain, placeWithoutEntry(range.last, range.hash))
      return true
    }
    const genuine = genuineOf(chain, head)
    if (genuine === undefined) return false
    chain.pending = pending.filter((place) => place !== genuine)
    const isGap = genuine.seq > last.seq + 1n
    const isStray = isGap && pending.length > 1 && !isFollowed(genuine, pending)
    if (genuine.seq <= last.seq || isStray) {
      report(chain, 'inserted', genuine)
      return true
    }
    if (isGap) reportMissing(chain, genuine.seq - 1n)
    // the genuine entry's own hash is right, so the entry before it was rewritten together with its hash
    else if (!follows(genuine, last)) report(chain, 'altered', last.id === null ? genuine : last)
    accept(chain, genuine)
    return true
  }

  /** Without a head, the chain must not have begun. */
  const compare = (chain: Chain, head: ChainHead | undefined) => {
    while (advance(chain, head)) continue
    const { last, signed } = chain
    const expected = BigInt(head?.seq ?? 0)
    const isRetired = rangeAt(chain, expected) !== undefined
    let end = expected
    for (const seq of signed.keys()) if (seq > end) end = seq
    if (last.seq < end) reportMissing(chain, end)
    else if (last.seq > expected && !isRetired) report(chain, 'inserted', last)
    else if (last.seq === expected && head !== undefined && last.hash !== head.hash) report(chain, 'altered', last)
    if (head === undefined || last.seq === expected || isRetired) return
    // the walk continues from the head, about which everything was said
    chain.last = placeWithoutEntry(expected, head.hash)
    reported.add(chain.last)
  }

  return {
    get entries() {
      return entries
    },
    /** Tells of retired entries, which are not missing. */
    retire: (ranges: readonly RetiredRange[]) => {
      for (const { writer, first, last, previous, hash } of ranges)
        rangesOf(writer).push({ first: BigInt(first), last: BigInt(last), previous, hash })
    },
    /** The chains begin at these heads; the others where the log does. */
    startAt: (heads: readonly ChainHead[]) => {
      for (const { writer, seq, hash } of heads) {
        const chain = chainOf(writer)
        const range = rangeAt(chain, BigInt(seq))
        chain.last = placeWithoutEntry(range?.last ?? BigInt(seq), range?.hash ?? hash)
      }
    },
    /** The entries that are taken must match these heads, which a checkpoint signed. */
    expect: (heads: readonly ChainHead[]) => {
      for (const { writer, seq, hash } of heads) {
        const { signed } = chainOf(writer)
        const known = signed.get(BigInt(seq)) ?? hash
        signed.set(BigInt(seq), known === hash ? hash : '')
      }
    },
    /** Takes the next entry of the log, in the order of ids. */
    take: (entry: ChainEntry) => {
      entries += 1
      const chain = chainOf(entry.writer)
      const { id, previous, hash } = entry
      const place = { seq: BigInt(entry.seq), hash, previous, id }
      if (entryHash(entry) !== hash) report(chain, 'altered', place)
      chain.pending = [...chain.pending, place].sort((a, b) => Number(a.seq - b.seq))
      while (chain.pending.length > LOOKAHEAD) advance(chain)
    },
    /** Compares the chains with their expected heads after the entries so far. Each fault is reported once. */
    stand: (heads: readonly ChainHead[]) => {
      for (const { writer } of heads) chainOf(writer)
      for (const chain of chains.values()) {
        compare(
          chain,
          heads.find(({ writer }) => writer === chain.writer),
        )
      }
    },
  }
}
