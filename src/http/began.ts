import type { IncomingMessage } from 'node:http'

const noted = new WeakMap<IncomingMessage, number>()

/**
 * Notes that a request came in before the chain that it is handed to began with it; `at` as performance.now() tells it.
 */
export const noteBegan = (req: IncomingMessage, at: number): void => {
  noted.set(req, at)
}

/** When a request came in: its deadline and its duration count from there. */
export const beganAt = (req: IncomingMessage): number => noted.get(req) ?? performance.now()
