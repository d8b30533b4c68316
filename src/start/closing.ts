import { setTimeout as delay } from 'node:timers/promises'

import { deferred } from '../domain/deferred.js'
import { once } from '../domain/once.js'

/** The resources that a start has opened, to be closed in reverse order. */
export const createClosing = () => {
  const opened: (() => Promise<unknown> | void)[] = []
  const hurried = deferred<number>()
  const closeAll = async () => {
    const failures: unknown[] = []
    for (const close of opened.toReversed()) {
      const closing = new AbortController()
      const { signal } = closing
      try {
        await Promise.race([close(), hurried.promise.then((eachMs) => delay(eachMs, undefined, { signal }))])
      } catch (error) {
        failures.push(error)
      } finally {
        // a timer that runs on would keep the process
        closing.abort()
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  return {
    add: (close: () => Promise<unknown> | void): void => void opened.push(close),
    /**
     * Closes everything, once: a second call waits for the first, and closes nothing that was added later. A failure
     * does not stop the rest from being closed; the first one is thrown at the end.
     */
    closeAll: once(closeAll),
    /** From now on, no resource is waited for longer than so many milliseconds. */
    hurry: hurried.resolve,
  }
}

export type Closing = ReturnType<typeof createClosing>
