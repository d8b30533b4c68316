import { deadlineExceeded } from '../domain/deadline.js'

/** Runs work, so much of it at once; the rest waits for its turn. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Keeps work that may be slow from taking all connections of a pool. What gets no turn within the time is refused with
 * `deadline_exceeded` (503), with `detail`, and never begins.
 */
export const createGate = (most: number, withinMs: number, detail: string): Gate => {
  let running = 0
  const waiting = new Set<() => void>()

  const turn = (): Promise<void> | undefined => {
    if (running < most) {
      running += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(deadlineExceeded({ detail }))
      }, withinMs)
      waiting.add(begin)
    })
  }
  /** Hands the turn on to whoever waits longest. */
  const leave = () => {
    const [next] = waiting
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
