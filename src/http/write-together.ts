import type { Context, Next } from 'koa'

import { endOfTurn } from '../domain/end-of-turn.js'

/**
 * Writes the answers that are ready in one turn of the event loop at its end, one after the other. Under load, their
 * reader on this machine (a proxy, a client) is then woken once, not once for each answer, and the kernel's part of a
 * write is the largest in a redirect. An answer that is alone in its turn does not wait: nothing else is left to do.
 */
export const writeTogether = (_: Context, next: Next): Promise<void> => next().then(endOfTurn)
