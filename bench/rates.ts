import type { LoadFigures } from './load.js'
import { medianOf } from './measure.js'
import type { Measured } from './measure.js'
import type { Suite } from './report.js'

/** What was measured by other means than `measure`. */
export const measured = (name: string, rounds: readonly number[]): Measured => ({
  name,
  rounds,
  median: medianOf(rounds),
  lowest: Math.min(...rounds),
  highest: Math.max(...rounds),
})

/**
 * A load as two suites: requests a second, which the load generator on the same machine bounds too, and the server's
 * own processor time a request, which it does not.
 */
export const rateSuites = (title: string, baseline: string, figures: readonly LoadFigures[]): readonly Suite[] => [
  {
    title: `${title}: requests a second`,
    baseline,
    unit: '/s',
    measured: figures.map(({ name, rate }) => measured(name, rate)),
  },
  {
    title: `${title}: processor time of the server a request`,
    baseline,
    unit: 'µs',
    measured: figures.map(({ name, cpu }) =>
      measured(
        name,
        cpu.map((microseconds) => microseconds * 1e3),
      ),
    ),
  },
]
