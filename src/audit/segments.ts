import type { ChainHead } from './checkpoint.js'
import type { ChainEntry } from './entry-hash.js'
import type { ValidCheckpoint } from './evidence-span.js'

interface SegmentOptions {
  readonly checkpoints: AsyncGenerator<ValidCheckpoint>
  /** the chain heads before the first entry */
  readonly start: readonly ChainHead[]
  readonly onEntry: (entry: ChainEntry) => void
  readonly onCheckpoint: (checkpoint: ValidCheckpoint) => void
  /** called for a checkpoint that too many entries would have to wait for */
  readonly onLeftOut: () => void
}

/**
 * The most entries that may wait, such as those that a transaction wrote before a checkpoint and committed after it.
 * Beyond that, the checkpoint is left out, and the next one covers its entries as well.
 */
const MOST_WAITING = 10_000

/**
 * Puts each checkpoint right after the entries that it covers. Entries come in the order of ids, which are assigned
 * before the commit, so an entry of the next checkpoint may come before the last one of this.
 */
export const createSegments = async ({ checkpoints, start, onEntry, onCheckpoint, onLeftOut }: SegmentOptions) => {
  const load = async () => {
    const { value, done } = await checkpoints.next()
    return done === true ? null : { checkpoint: value, covered: seqsOf(value.checkpoint.heads) }
  }
  /** how far each chain is placed */
  const placed = seqsOf(start)
  let waiting: readonly ChainEntry[] = []
  /** the checkpoint to place next; null: there are no more */
  let next = await load()

  const isComplete = () => [...(next?.covered ?? [])].every(([writer, seq]) => seq <= (placed.get(writer) ?? 0n))
  const placeCovered = () => {
    waiting = waiting.filter((entry) => {
      const seq = BigInt(entry.seq)
      const mustWait = next !== null && seq > (next.covered.get(entry.writer) ?? 0n)
      if (mustWait) return true
      onEntry(entry)
      if (seq > (placed.get(entry.writer) ?? 0n)) placed.set(entry.writer, seq)
      return false
    })
  }
  return {
    /** Takes the next entries, in the order of ids. */
    take: async (entries: readonly ChainEntry[]): Promise<void> => {
      waiting = [...waiting, ...entries]
      placeCovered()
      while (next !== null && (isComplete() || waiting.length > MOST_WAITING)) {
        if (isComplete()) onCheckpoint(next.checkpoint)
        else onLeftOut()
        next = await load()
        placeCovered()
      }
    },
    /** Call it after the last entry: a checkpoint that still waits names entries that do not exist. */
    finish: async (): Promise<void> => {
      while (next !== null) {
        onCheckpoint(next.checkpoint)
        next = await load()
        placeCovered()
      }
    },
  }
}

const seqsOf = (heads: readonly ChainHead[]) => new Map(heads.map(({ writer, seq }) => [writer, BigInt(seq)]))
