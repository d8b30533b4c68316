import type { Refusal } from './refusal.js'

/** Runs work, so much of it at once; the rest waits for its turn, in its order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

interface GateOptions {
  readonly atOnce: number
  /** how much more may wait; without it any number */
  readonly waiting?: number
  /** milliseconds that it may wait; without it any time */
  readonly withinMs?: number
  /** what is thrown where work does not begin: too much waits, or it has waited too long */
  readonly refuse: () => Refusal
}

/** Keeps expensive work from taking all memory and threads, and slow queries from taking all connections of a pool. */
export const createGate = ({ atOnce, waiting = Infinity, withinMs, refuse }: GateOptions): Gate => {
  let running = 0
  const queue = new Set<() => void>()

  const turn = (): Promise<void> | undefined => {
    if (running < atOnce) {
      running += 1
      return undefined
    }
    if (queue.size >= waiting) throw refuse()
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        queue.delete(begin)
        resolve()
      }
      const giveUp = () => {
        queue.delete(begin)
        reject(refuse())
      }
      const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs)
      queue.add(begin)
    })
  }
  /** Hands the turn on to whoever waits longest. */
  const leave = () => {
    const [next] = queue
    if (next === undefined) running -= 1
    else next()
  }

  return async (work) => {
    await turn()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
