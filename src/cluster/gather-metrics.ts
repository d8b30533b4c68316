import { AggregatorRegistry } from 'prom-client'

import type { Measurements } from './message.js'
import type { WorkerProcess } from './worker-process.js'

export interface MetricsGathering {
  /** The metrics of all workers as one text, in the exposition format. */
  readonly text: (workers: readonly Pick<WorkerProcess, 'measure'>[], primary: Measurements) => Promise<string>
  /** Keeps what a worker that ended had counted. One whose measurements cannot be added is left out. */
  readonly retire: (worker: Pick<WorkerProcess, 'lastMeasured'>) => void
}

/** What only grows; a gauge of a process that is gone means nothing. */
const GROWING = new Set<unknown>(['counter', 'histogram', 'summary'])

/**
 * Adds up what the workers count. What those that ended had counted stays in the sum: it would fall otherwise, which
 * Prometheus reads as a restart of the whole service, and counts everything that is left once more.
 */
export const createMetricsGathering = (): MetricsGathering => {
  let retired: Promise<Measurements> = Promise.resolve([])
  const add = async (before: Measurements, measurements: Measurements): Promise<Measurements> => {
    try {
      return await sum([before, measurements.filter(({ type }) => GROWING.has(type))]).getMetricsAsJSON()
    } catch {
      return before
    }
  }
  return {
    text: async (workers, primary) => {
      // those that were gone when these workers lived: one that ends while it is asked answers with what it said last,
      // and counts once
      const gone = retired
      const measured = await Promise.all(workers.map((worker) => worker.measure()))
      return sum([await gone, ...measured, primary]).metrics()
    },
    retire: (worker) => {
      const last = worker.lastMeasured()
      retired = retired.then((before) => add(before, last))
    },
  }
}

const sum = (all: readonly Measurements[]) => AggregatorRegistry.aggregate(all.map((each) => [...each]))
