import type { Context, Next } from 'koa'

import { endOfTurn } from '../domain/end-of-turn.js'

/**
 * Writes the answers of one turn of the event loop at its end, one after the other. A write may wake its reader (a
 * proxy or a client on this machine), which takes long; under load, the reader is then woken once for many answers. An
 * answer that is alone in its turn does not wait: nothing else is left to do.
 */
export const writeTogether = (_: Context, next: Next): Promise<void> => next().then(endOfTurn)
