import { endOfTurn } from '../domain/end-of-turn.js'

/**
 * For a DataLoader: the keys that are asked for in one turn of the event loop share a query, a hundred at most, and the
 * queries of several loaders a round trip (`Database.lookUp`). Nothing is cached, since every request sees what the
 * database holds then.
 */
export const IN_ONE_TURN = {
  cache: false,
  maxBatchSize: 100,
  batchScheduleFn: (work: () => void): void => void endOfTurn().then(work),
}
