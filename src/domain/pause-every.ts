import { setImmediate } from 'node:timers/promises'

import type { Deadline } from './deadline.js'

/**
 * For long loops: each `count`th call waits until the event loop has served everybody else, and throws
 * `deadline_exceeded` once the deadline has passed.
 */
export const pauseEvery = (count: number, deadline?: Deadline) => {
  let calls = 0
  return () => {
    if (++calls % count !== 0) return undefined
    deadline?.require()
    return setImmediate()
  }
}
