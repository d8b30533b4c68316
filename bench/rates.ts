import type { LoadFigures } from './load.js'
import { medianOf, type Measured } from './measure.js'
import type { Suite } from './report.js'

/** What was measured by other means than `measure`. */
export const measured = (name: string, rounds: readonly number[]): Measured => ({
  name,
  rounds,
  median: medianOf(rounds),
  lowest: Math.min(...rounds),
  highest: Math.max(...rounds),
})

const nanoseconds = (microseconds: readonly number[]) => microseconds.map((each) => each * 1e3)

/**
 * A load as suites: requests a second, which the load generator on the same machine bounds too; the server's own
 * processor time a request, which it does not; and that time with the database's.
 */
export const rateSuites = (title: string, baseline: string, figures: readonly LoadFigures[]): readonly Suite[] => {
  const suite = (of: string, unit: Suite['unit'], roundsOf: (figure: LoadFigures) => readonly number[]): Suite => ({
    title: `${title}: ${of}`,
    baseline,
    unit,
    measured: figures.map((figure) => measured(figure.name, roundsOf(figure))),
  })
  const withDatabase = 'processor time of server and database a request'
  return [
    suite('requests a second', '/s', ({ rate }) => rate),
    suite('processor time of the server a request', 'µs', ({ cpu }) => nanoseconds(cpu)),
    ...(figures.every(({ cpuWithDatabase }) => cpuWithDatabase === undefined)
      ? []
      : [suite(withDatabase, 'µs', ({ cpuWithDatabase }) => nanoseconds(cpuWithDatabase ?? []))]),
  ]
}
