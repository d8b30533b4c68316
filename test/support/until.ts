import { setTimeout as delay } from 'node:timers/promises'

const WITHIN_MS = 30_000
const EVERY_MS = 20

interface Bound {
  readonly withinMs?: number
}

interface Poll extends Bound {
  readonly everyMs?: number
}

/** The promise's result; throws with the name of what was awaited if it does not come in time. */
export const within = async <T>(
  what: string,
  awaited: Promise<T>,
  { withinMs = WITHIN_MS }: Bound = {},
): Promise<T> => {
  const bound = new AbortController()
  const timeout = delay(withinMs, undefined, { signal: bound.signal }).then((): never => {
    throw new Error(`not within ${withinMs} ms: ${what}`)
  })
  try {
    return await Promise.race([awaited, timeout])
  } finally {
    bound.abort()
  }
}

/** Polls until `look` finds something, and returns it; throws with the name of what was awaited after the bound. */
export const until = async <T>(
  what: string,
  look: () => T | false | undefined | Promise<T | false | undefined>,
  { everyMs = EVERY_MS, ...bound }: Poll = {},
): Promise<T> => {
  const ending = new AbortController()
  const poll = async (): Promise<T> => {
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await delay(everyMs, undefined, { signal: ending.signal })
    }
  }
  try {
    return await within(what, poll(), bound)
  } finally {
    ending.abort()
  }
}
