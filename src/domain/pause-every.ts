import { setImmediate } from 'node:timers/promises'

import type { Deadline } from './deadline.js'

/**
 * For long loops: every `count`th call yields to the event loop, and throws `deadline_exceeded` once the deadline has
 * passed.
 */
export const pauseEvery = (count: number, deadline?: Deadline) => {
  let calls = 0
  return () => {
    if (++calls % count !== 0) return undefined
    deadline?.require()
    return setImmediate()
  }
}
