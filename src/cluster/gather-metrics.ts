import { AggregatorRegistry } from 'prom-client'

import type { Measurements } from './message.js'
import type { WorkerProcess } from './worker-process.js'

export interface MetricsGathering {
  /** The metrics of all workers as one text, in the exposition format. */
  readonly text: (workers: readonly WorkerProcess[], primary: Measurements) => Promise<string>
  /** Keeps what a worker that ended had counted. */
  readonly retire: (worker: WorkerProcess) => Promise<void>
}

/** What only grows; a gauge of a process that is gone means nothing. */
const GROWING = new Set<unknown>(['counter', 'histogram', 'summary'])

/**
 * Adds up what the workers count. What those that ended had counted stays in the sum: it would fall otherwise, which
 * Prometheus reads as a restart of the whole service, and counts everything that is left once more.
 */
export const createMetricsGathering = (): MetricsGathering => {
  let retired: Measurements = []
  let retiring: Promise<void> = Promise.resolve()
  const add = async (measurements: Measurements) => {
    retired = await sum([retired, measurements.filter(({ type }) => GROWING.has(type))]).getMetricsAsJSON()
  }
  return {
    text: async (workers, primary) => {
      const measured = await Promise.all(workers.map((worker) => worker.measure()))
      await retiring
      return sum([retired, ...measured, primary]).metrics()
    },
    retire: (worker) => (retiring = retiring.then(() => add(worker.lastMeasured()))),
  }
}

const sum = (all: readonly Measurements[]) => AggregatorRegistry.aggregate(all.map((each) => [...each]))
