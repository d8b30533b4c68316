import type { Refusal } from './refusal.js'

/** Runs work with limited concurrency. The rest waits in order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

interface GateOptions {
  readonly atOnce: number
  /** how many more may wait; unlimited by default */
  readonly waiting?: number
  /** milliseconds that one may wait; unlimited by default */
  readonly withinMs?: number
  /** the error for work that does not begin: too many wait, or it has waited too long */
  readonly refuse: () => Refusal
}

/** Keeps expensive work from using up memory and threads, and slow queries from using up the pool's connections. */
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
  /** Passes the turn to the one that has waited longest. */
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
