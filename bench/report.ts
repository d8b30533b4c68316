import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'

import Table from 'cli-table3'

import { timesBaseline, type Measured } from './measure.js'

/** What a figure, kept in nanoseconds, bytes or pieces, is divided by to be one of its unit. */
export const DIVISOR = { ns: 1, µs: 1e3, ms: 1e6, '/s': 1, MiB: 2 ** 20, bytes: 1, connections: 1, rows: 1 } as const

export interface Suite {
  readonly title: string
  /** the subject that every other is divided by, round by round */
  readonly baseline: string
  readonly unit: keyof typeof DIVISOR
  readonly measured: readonly Measured[]
}

/** One suite as a table for people: medians with their spread, and times the baseline. */
export const printSuite = ({ title, baseline, unit, measured }: Suite): void => {
  const base = measured.find(({ name }) => name === baseline)
  const figure = (measured: number) => (measured / DIVISOR[unit]).toFixed(1)
  const table = new Table({
    head: [title, `median ${unit}`, 'lowest', 'highest', 'times the baseline'],
    style: { head: [], border: [] },
  })
  for (const each of measured) {
    const { name, median, lowest, highest } = each
    table.push([
      name === baseline ? `${name} (baseline)` : name,
      figure(median),
      figure(lowest),
      figure(highest),
      base === undefined ? '' : timesBaseline(each, base).toFixed(3),
    ])
  }
  process.stdout.write(`${table.toString()}\n\n`)
}

const environment = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
})

export const printEnvironment = (): void => {
  const { node, platform, cpu, cores, memory_gib } = environment()
  process.stdout.write(
    `Node ${node}, ${platform}, ${cores} x ${cpu}, ${memory_gib} GiB. Every ratio is the median of its rounds.\n\n`,
  )
}

/** The same figures for programs: bench/results/latest.json. */
export const writeResults = async (suites: readonly Suite[], targets: readonly object[]): Promise<void> => {
  const folder = new URL('results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(
    new URL('latest.json', folder),
    `${JSON.stringify({ time: new Date().toISOString(), environment: environment(), targets, suites }, null, 2)}\n`,
  )
}
