import { entryHash } from './entry-hash.js'
import type { StoredEntry } from './entry-hash.js'

/** Where a chain stands: the number and the hash (in hex) of its newest entry. */
export interface ChainHead {
  readonly writer: string
  readonly seq: string
  readonly hash: string
}

/** Consecutive entries of one chain that were retired: the hash before the first, and the hash of the last. */
export interface RetiredRange {
  readonly writer: string
  readonly first: string
  readonly last: string
  readonly previous: string
  readonly hash: string
}

export const entriesIn = (ranges: readonly RetiredRange[]): number =>
  ranges.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0)

/** An entry that is not as it was written. */
export interface ChainFault {
  readonly kind: 'altered' | 'missing' | 'inserted'
  readonly writer: string
  /** the entry's number in its chain; of several missing ones the first, and `last` the last */
  readonly seq: string
  readonly last?: string
  /** the record's id; null where it is missing */
  readonly id: string | null
}

interface ChainWalkOptions {
  readonly retired?: readonly RetiredRange[]
  /** where the chains stood when a checkpoint was signed; the entries have to confirm it */
  readonly checkpoint?: readonly ChainHead[]
  readonly onFault: (fault: ChainFault) => void
}

/** An entry whose own hash is right or not, and which claims a place in its chain. */
interface Place {
  readonly seq: bigint
  /** null: no entry, but the start of the chain or the end of a retired range */
  readonly id: string | null
  readonly previous: string
  readonly hash: string
}

interface Chain {
  readonly writer: string
  /** the newest entry that follows the one before it */
  last: Place
  /** others with the newest entry's number: the entry that follows tells which one is genuine */
  rivals: readonly Place[]
  /** entries that do not follow the newest one yet */
  waiting: readonly Place[]
  /** true where the newest entry was reported already */
  reported: boolean
}

/** Entries that may wait for the one before them. With more, the one before is missing. */
const MOST_WAITING = 8

/**
 * Walks the chains of the decision log and reports every entry that was altered, removed or inserted. A moved entry
 * counts as altered: its place is part of its hash. Memory does not grow with the number of entries.
 */
export const createChainWalk = ({ retired = [], checkpoint = [], onFault }: ChainWalkOptions) => {
  const chains = new Map<string, Chain>()
  const signed = new Map(checkpoint.map(({ writer, seq, hash }) => [writer, { seq: BigInt(seq), hash }]))
  let entries = 0

  const chainOf = (writer: string): Chain => {
    const start = { seq: 0n, id: null, previous: '', hash: '0'.repeat(64) }
    const chain = chains.get(writer) ?? { writer, last: start, rivals: [], waiting: [], reported: false }
    chains.set(writer, chain)
    return chain
  }
  const report = ({ writer }: Chain, kind: ChainFault['kind'], { seq, id }: Pick<Place, 'seq' | 'id'>, last?: bigint) =>
    onFault({ kind, writer, seq: String(seq), id, ...(last === undefined ? {} : { last: String(last) }) })
  const reportMissing = (chain: Chain, last: bigint) =>
    report(chain, 'missing', { seq: chain.last.seq + 1n, id: null }, last)

  /** Makes `next` the newest entry, and compares it with the checkpoint. */
  const advance = (chain: Chain, next: Place) => {
    for (const rival of chain.rivals) report(chain, 'inserted', rival)
    chain.rivals = []
    chain.last = next
    chain.reported = false
    const head = signed.get(chain.writer)
    if (head?.seq !== next.seq) return
    signed.delete(chain.writer)
    if (head.hash !== next.hash) report(chain, 'altered', next)
  }
  const skipRetired = (chain: Chain): boolean => {
    const range = retired.find(
      ({ writer, first, previous }) =>
        writer === chain.writer && BigInt(first) === chain.last.seq + 1n && previous === chain.last.hash,
    )
    if (range === undefined) return false
    const seq = BigInt(range.last)
    const head = signed.get(chain.writer)
    // the entry that was signed is gone; the signature over the range stands for it
    if (head !== undefined && head.seq < seq) signed.delete(chain.writer)
    advance(chain, { seq, id: null, previous: '', hash: range.hash })
    return true
  }
  const stopWaiting = (chain: Chain, place: Place) => {
    chain.waiting = chain.waiting.filter((other) => other !== place)
  }

  /** Advances over all waiting entries that follow. */
  const settle = (chain: Chain) => {
    for (;;) {
      const nexts = chain.waiting.filter(({ seq }) => seq === chain.last.seq + 1n)
      const next = nexts.find(({ previous }) => previous === chain.last.hash)
      const genuine = chain.rivals.find(({ hash }) => nexts.some(({ previous }) => previous === hash))
      if (next) {
        stopWaiting(chain, next)
        advance(chain, next)
      } else if (genuine) {
        chain.rivals = [...chain.rivals.filter((rival) => rival !== genuine), chain.last]
        chain.last = genuine
      } else if (!skipRetired(chain)) return
    }
  }

  /** Takes the nearest waiting entry, which follows nothing, so that the walk can go on. */
  const resolve = (chain: Chain) => {
    const [nearest] = chain.waiting.toSorted((a, b) => (a.seq < b.seq ? -1 : 1))
    if (nearest === undefined) return
    const next = chain.last.seq + 1n
    stopWaiting(chain, nearest)
    const isFollowed = chain.waiting.some(({ seq, previous }) => seq === nearest.seq + 1n && previous === nearest.hash)
    if (nearest.seq === next) {
      // its own hash is right, so the entry before it was rewritten together with its hash
      if (!chain.reported) report(chain, 'altered', chain.last.id === null ? nearest : chain.last)
      advance(chain, nearest)
    } else if (nearest.seq > next && (isFollowed || chain.waiting.length === 0)) {
      reportMissing(chain, nearest.seq - 1n)
      advance(chain, nearest)
    } else report(chain, 'inserted', nearest)
    settle(chain)
  }

  return {
    get entries() {
      return entries
    },
    /** Takes the log's entries in the order of their ids. */
    take: (entry: StoredEntry) => {
      entries += 1
      const chain = chainOf(entry.writer)
      const place = { seq: BigInt(entry.seq), id: entry.id, previous: entry.previous, hash: entry.hash }
      const isWhole = entryHash(entry) === entry.hash
      if (!isWhole) report(chain, 'altered', place)
      if (place.seq > chain.last.seq) {
        chain.waiting = [...chain.waiting, place]
        settle(chain)
        if (!isWhole && chain.last.id === place.id) chain.reported = true
        if (chain.waiting.length > MOST_WAITING) resolve(chain)
      } else if (isWhole && place.seq === chain.last.seq && chain.last.id !== null)
        chain.rivals = [...chain.rivals, place].slice(0, MOST_WAITING)
      else if (isWhole) report(chain, 'inserted', place)
    },
    /** Compares the ends of the chains with where they should stand. Call it once, after the last entry. */
    finish: (heads: readonly ChainHead[]) => {
      for (const { writer } of [...heads, ...checkpoint]) chainOf(writer)
      for (const chain of chains.values()) {
        settle(chain)
        while (chain.waiting.length > 0) resolve(chain)
        const head = heads.find(({ writer }) => writer === chain.writer)
        const end = [BigInt(head?.seq ?? 0), signed.get(chain.writer)?.seq ?? 0n].reduce((a, b) => (a > b ? a : b))
        const isAtHead = head !== undefined && BigInt(head.seq) === chain.last.seq
        const genuine = chain.rivals.find(({ hash }) => hash === head?.hash)
        if (genuine) report(chain, 'inserted', chain.last)
        for (const rival of chain.rivals) if (rival !== genuine) report(chain, 'inserted', rival)
        if (end > chain.last.seq) reportMissing(chain, end)
        else if (!genuine && !chain.reported && !(isAtHead && head.hash === chain.last.hash))
          report(chain, isAtHead ? 'altered' : 'inserted', chain.last)
      }
    },
  }
}
