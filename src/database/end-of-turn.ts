import { AsyncResource } from 'node:async_hooks'

let waiting: (() => void)[] = []

/**
 * Runs `work` at the end of this turn of the event loop, in one go with everything else that was scheduled in it, and
 * in the async context of its caller, to whose span it belongs. DataLoaders are scheduled by it, so that their look-ups
 * share a round trip (`Database.lookUp`).
 */
const atEndOfTurn = (work: () => void): void => {
  if (waiting.length === 0) setImmediate(runAll)
  waiting.push(AsyncResource.bind(work))
}

/**
 * For a DataLoader: the keys that are asked for in one turn share a query, a hundred at most. Nothing is cached, since
 * every request sees what the database holds then.
 */
export const IN_ONE_TURN = { cache: false, maxBatchSize: 100, batchScheduleFn: atEndOfTurn }

const runAll = (): void => {
  const all = waiting
  waiting = []
  for (const work of all) work()
}
