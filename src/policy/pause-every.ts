import { setImmediate } from 'node:timers/promises'

/** For long loops: each `count`th call waits until the event loop has served everybody else. */
export const pauseEvery = (count: number) => {
  let calls = 0
  return () => (++calls % count === 0 ? setImmediate() : undefined)
}
