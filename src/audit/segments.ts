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
export const createSegments = ({ checkpoints, start, onEntry, onCheckpoint, onLeftOut }: SegmentOptions) => {
  const placed = new Map(start.map(({ writer, seq }) => [writer, BigInt(seq)]))
  let waiting: readonly ChainEntry[] = []
  /** undefined: not fetched yet; null: there are no more */
  let next: ValidCheckpoint | null | undefined
  let covered: ReadonlyMap<string, bigint> = new Map()
  /** chains that have not reached the next checkpoint yet, with their number in it */
  let behind = new Map<string, bigint>()

  const place = (entry: ChainEntry, seq: bigint) => {
    onEntry(entry)
    placed.set(entry.writer, seq)
    if (seq >= (behind.get(entry.writer) ?? seq + 1n)) behind.delete(entry.writer)
  }
  const placeCovered = () => {
    waiting = waiting.filter((entry) => {
      const seq = BigInt(entry.seq)
      const mustWait = next !== null && seq > (covered.get(entry.writer) ?? 0n)
      if (!mustWait) place(entry, seq)
      return mustWait
    })
    return next ?? null
  }
  const load = async () => {
    const step = await checkpoints.next()
    next = step.done === true ? null : step.value
    covered = new Map(next?.checkpoint.heads.map(({ writer, seq }) => [writer, BigInt(seq)]))
    behind = new Map([...covered].filter(([writer, seq]) => seq > (placed.get(writer) ?? 0n)))
    return placeCovered()
  }
  /** Resolves with the checkpoint that is still waiting for entries. */
  const take = async (entries: readonly ChainEntry[]) => {
    waiting = [...waiting, ...entries]
    let checkpoint = next === undefined ? await load() : placeCovered()
    while (checkpoint !== null && (behind.size === 0 || waiting.length > MOST_WAITING)) {
      if (behind.size === 0) onCheckpoint(checkpoint)
      else onLeftOut()
      checkpoint = await load()
    }
    return checkpoint
  }
  return {
    /** Takes the next entries, in the order of ids. */
    take,
    /** Call it after the last entry: a checkpoint that still waits names entries that do not exist. */
    finish: async () => {
      for (let checkpoint = await take([]); checkpoint !== null; checkpoint = await take([])) {
        onCheckpoint(checkpoint)
        await load()
      }
    },
  }
}
