import { entryHash } from './entry-hash.js'
import type { StoredEntry } from './entry-hash.js'

/** Where a chain stands: its newest entry's number and hash. */
export interface ChainHead {
  readonly writer: string
  readonly seq: string
  /** in hex */
  readonly hash: string
}

/** Entries that were retired, of one chain, without a gap: what came before the first, and the hash of the last. */
export interface RetiredRange {
  readonly writer: string
  readonly first: string
  readonly last: string
  readonly previous: string
  readonly hash: string
}

/** Something that is not as it was written. */
export interface ChainFault {
  readonly kind: 'altered' | 'missing' | 'inserted'
  readonly writer: string
  /** the entry's number in its chain; of missing ones the first */
  readonly seq: string
  /** of missing ones the last */
  readonly last?: string
  /** the record's id; null where it is not there */
  readonly id: string | null
}

export interface ChainWalk {
  /** Takes the log's entries in the order of their ids. */
  take(entry: StoredEntry): void
  /** Compares with where the chains are said to stand. Call it once, after the last entry. */
  finish(heads: readonly ChainHead[]): void
  readonly entries: number
}

export interface ChainWalkParts {
  readonly retired?: readonly RetiredRange[]
  /** an earlier statement of where the chains stood, which the entries have to bear out */
  readonly checkpoint?: readonly ChainHead[]
  readonly onFault: (fault: ChainFault) => void
}

const START = '0'.repeat(64)

/** An entry that is not in its place yet, as far as the walk has come. */
interface Place {
  readonly seq: bigint
  readonly id: string
  readonly previous: string
  readonly hash: string
}

interface Chain {
  readonly writer: string
  /** the newest entry that is in its place; id null before the first and where it was retired */
  last: Omit<Place, 'id' | 'previous'> & { readonly id: string | null }
  /** others that claim the newest one's place: what follows tells which of them is the true one */
  rivals: readonly Place[]
  /** entries that do not follow the newest one; never more than FEW */
  waiting: Place[]
  /** true where the newest entry was told of already */
  suspect: boolean
}

/** Entries that may wait for the one before them. More, and the one before is missing. */
const FEW = 8

/**
 * Walks the chains of the decision log and tells of every entry that is altered, missing or inserted. An entry that was
 * moved shows as altered: its place is part of what was hashed. Memory does not grow with the number of entries.
 */
export const createChainWalk = ({ retired = [], checkpoint = [], onFault }: ChainWalkParts): ChainWalk => {
  const chains = new Map<string, Chain>()
  const expected = new Map(checkpoint.map(({ writer, seq, hash }) => [writer, { seq: BigInt(seq), hash }]))
  let entries = 0

  const chainOf = (writer: string): Chain => {
    const known = chains.get(writer)
    if (known) return known
    const chain: Chain = { writer, last: { seq: 0n, hash: START, id: null }, rivals: [], waiting: [], suspect: false }
    chains.set(writer, chain)
    return chain
  }
  const tell = (
    { writer }: Chain,
    kind: ChainFault['kind'],
    { seq, id, last }: { readonly seq: bigint; readonly id: string | null; readonly last?: bigint },
  ) => onFault({ kind, writer, seq: String(seq), id, ...(last === undefined ? {} : { last: String(last) }) })

  /** What a checkpoint says of the newest entry. */
  const bearOut = (chain: Chain) => {
    const said = expected.get(chain.writer)
    if (said?.seq !== chain.last.seq) return
    expected.delete(chain.writer)
    if (said.hash !== chain.last.hash && !chain.suspect) tell(chain, 'altered', chain.last)
  }
  const advance = (chain: Chain, next: Chain['last']) => {
    for (const rival of chain.rivals) tell(chain, 'inserted', rival)
    chain.rivals = []
    chain.last = next
    chain.suspect = false
    bearOut(chain)
  }
  const passRetired = (chain: Chain): boolean => {
    const range = retired.find(
      ({ writer, first, previous }) =>
        writer === chain.writer && BigInt(first) === chain.last.seq + 1n && previous === chain.last.hash,
    )
    if (range === undefined) return false
    const said = expected.get(chain.writer)
    // what stood inside the range can no longer be looked at; the signature over the range stands for it
    if (said !== undefined && said.seq < BigInt(range.last)) expected.delete(chain.writer)
    advance(chain, { seq: BigInt(range.last), hash: range.hash, id: null })
    return true
  }
  const remove = (chain: Chain, place: Place) => {
    chain.waiting = chain.waiting.filter((other) => other !== place)
  }

  /** Puts into place what follows the newest entry, as often as something does. */
  const settle = (chain: Chain) => {
    for (;;) {
      const follower = chain.waiting.find(
        ({ seq, previous }) => seq === chain.last.seq + 1n && previous === chain.last.hash,
      )
      if (follower) {
        remove(chain, follower)
        advance(chain, follower)
        continue
      }
      // the one that was taken for the newest was not: what follows names a rival
      const heir = chain.waiting.find(
        ({ seq, previous }) => seq === chain.last.seq + 1n && chain.rivals.some(({ hash }) => hash === previous),
      )
      const rightful = heir && chain.rivals.find(({ hash }) => hash === heir.previous)
      if (rightful) {
        const { id, seq } = chain.last
        chain.rivals = [
          ...chain.rivals.filter((rival) => rival !== rightful),
          ...(id === null ? [] : [{ id, seq, previous: '', hash: '' }]),
        ]
        chain.last = rightful
        continue
      }
      if (!passRetired(chain)) return
    }
  }

  /** Decides about the nearest entry that follows nothing, so that the walk can go on. */
  const resolve = (chain: Chain) => {
    const [nearest] = chain.waiting.toSorted((a, b) => (a.seq < b.seq ? -1 : 1))
    if (nearest === undefined) return
    const next = chain.last.seq + 1n
    const followed = chain.waiting.some(({ seq, previous }) => seq === nearest.seq + 1n && previous === nearest.hash)
    remove(chain, nearest)
    if (nearest.seq === next) {
      // its own hash holds, so it is the one before that was made anew
      if (!chain.suspect && chain.last.id !== null) tell(chain, 'altered', chain.last)
      else if (!chain.suspect) tell(chain, 'altered', nearest)
      advance(chain, nearest)
    } else if (nearest.seq > next && (followed || chain.waiting.length === 0)) {
      tell(chain, 'missing', { seq: next, id: null, last: nearest.seq - 1n })
      advance(chain, nearest)
    } else tell(chain, 'inserted', nearest)
    settle(chain)
  }

  return {
    get entries() {
      return entries
    },
    take: (entry) => {
      entries += 1
      const chain = chainOf(entry.writer)
      const place: Place = { seq: BigInt(entry.seq), id: entry.id, previous: entry.previous, hash: entry.hash }
      const whole = entryHash(entry) === entry.hash
      if (!whole) tell(chain, 'altered', place)
      if (place.seq === chain.last.seq && chain.last.id !== null && whole)
        chain.rivals = [...chain.rivals, place].slice(0, FEW)
      else if (place.seq <= chain.last.seq) {
        if (whole) tell(chain, 'inserted', place)
      } else {
        chain.waiting.push(place)
        settle(chain)
        if (!whole && chain.last.id === place.id) chain.suspect = true
        if (chain.waiting.length > FEW) resolve(chain)
      }
    },
    finish: (heads) => {
      for (const { writer } of [...heads, ...checkpoint]) chainOf(writer)
      const stand = new Map(heads.map((head) => [head.writer, head]))
      for (const chain of chains.values()) {
        settle(chain)
        while (chain.waiting.length > 0) resolve(chain)
        const head = stand.get(chain.writer)
        const said = expected.get(chain.writer)
        const end = [BigInt(head?.seq ?? 0), said?.seq ?? 0n].reduce((a, b) => (a > b ? a : b))
        const rightful = chain.rivals.find(({ hash }) => hash === head?.hash)
        if (rightful && chain.last.id !== null) tell(chain, 'inserted', chain.last)
        for (const rival of chain.rivals) if (rival !== rightful) tell(chain, 'inserted', rival)
        if (end > chain.last.seq) tell(chain, 'missing', { seq: chain.last.seq + 1n, id: null, last: end })
        else if (
          !rightful &&
          !chain.suspect &&
          (head === undefined || BigInt(head.seq) < chain.last.seq || head.hash !== chain.last.hash)
        ) {
          tell(chain, head !== undefined && BigInt(head.seq) === chain.last.seq ? 'altered' : 'inserted', chain.last)
        }
      }
    },
  }
}
