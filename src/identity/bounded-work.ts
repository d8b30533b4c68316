import { Refusal } from '../domain/refusal.js'

/**
 * Runs at most `atOnce` pieces of work at a time and lets at most `waiting` more wait, in order. Throws `rate_limited`
 * (429) beyond that: a burst of costly work is refused early, and takes neither all memory nor all threads.
 */
export const boundedWork = ({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) => {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new Refusal('rate_limited', { headers: { 'Retry-After': '1' } })
      // whoever ends hands its place over, so `running` stays as it is
      await new Promise<void>((resolve) => {
        queue.push(resolve)
      })
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
