import { readFile } from 'node:fs/promises'

import { z } from 'zod'

import { readConfig } from '../src/config.js'
import { mostLongReads } from '../src/database/long-reads.js'

/**
 * The arithmetic of docs/scale.md, and the figures of docs/operations.md, from those of a run, as the Markdown tables
 * of these pages: `npx tsx bench/plan.ts [results.json]`. What is assumed and not measured stands here, and in a table
 * of that page.
 */
const LINKS = 1e9
const REDIRECTS = 1e5
const CHANGES = 1_000
const MONTHS = 12
/** how far a core is to be loaded in ordinary times */
const LOADED = 0.5
const EXPONENTS = [0.8, 0.9, 1] as const
/**
 * what a process remembers: the setting's default, and as many links of 80 characters as its bound of 64 Mi characters
 * holds
 */
const REMEMBERED = [50_000, 239_000] as const
/** what a cache in front of all nodes is taken to hold */
const IN_FRONT = 10_000_000

const Results = z.object({
  suites: z.array(
    z.object({ title: z.string(), measured: z.array(z.object({ name: z.string(), median: z.number() })) }),
  ),
})

const read = async (path: URL | string) => {
  const { suites } = Results.parse(JSON.parse(await readFile(path, 'utf8')))
  return (title: string, name: string): number => {
    const found = suites.find((suite) => suite.title.startsWith(title))?.measured.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no figure of ${title}: ${name}`)
    return found.median
  }
}

/** Sum of 1/k^s for k up to n: exactly for the first million, by Euler and Maclaurin beyond. */
const harmonic = (n: number, s: number): number => {
  const exact = Math.min(n, 1e6)
  let sum = 0
  for (let k = 1; k <= exact; k += 1) sum += k ** -s
  if (n <= exact) return sum
  return (
    sum + (s === 1 ? Math.log(n / exact) : (n ** (1 - s) - exact ** (1 - s)) / (1 - s)) + (n ** -s - exact ** -s) / 2
  )
}

/**
 * The part of requests that the most wanted `kept` of `all` links take, where popularity follows Zipf: the most that a
 * cache of that size can answer.
 */
export const hitRatio = (kept: number, all: number, exponent: number): number =>
  harmonic(kept, exponent) / harmonic(all, exponent)

const round = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
const percent = (part: number): string => `${(part * 100).toFixed(0)} %`
const table = (rows: readonly (readonly string[])[]): string =>
  rows
    .flatMap((row, i) => [`| ${row.join(' | ')} |`, ...(i === 0 ? [`|${row.map(() => '---|').join('')}`] : [])])
    .join('\n')

const figure = await read(process.argv[2] ?? new URL('results/latest.json', import.meta.url))
const DISK = 'Disk: a link'
const WAL = 'Write-ahead log of a change'
const link = {
  whole: figure(DISK, 'all of it'),
  table: figure(DISK, 'the table'),
  code: figure(DISK, 'btree (code)'),
  indexes: figure(DISK, 'all of it') - figure(DISK, 'the table'),
}
const record = figure("Disk: a decision's record", 'all of it')
const wal = {
  again: figure(WAL, 'PATCH, its pages logged since the checkpoint'),
  first: figure(WAL, 'PATCH, the first after a checkpoint'),
  made: figure(WAL, 'POST'),
}
const cpu = {
  hit: figure('Redirect, remembered: processor', 'Linkgate, remembered') / 1e3,
  miss: figure('Redirect, first touch: processor', 'Linkgate, nothing remembered') / 1e3,
  change: figure('Change of a link: processor', "Linkgate, owner's PATCH") / 1e3,
}
/**
 * Planned with what a process may hold (`DATABASE_POOL_SIZE` where nobody set it), not with what a load happened to
 * need.
 */
const POOL_SIZE = readConfig({}).databasePoolSize
const EXPORTS = mostLongReads(POOL_SIZE)
const memory = figure('Workers: memory', 'WORKERS=1') / 2 ** 20

const bareSelect = figure('Redirect, first touch: requests', 'bare Koa, one prepared select')

const gigabytes = (bytes: number) => `${round(bytes / 1e9)} GB`
const cores = (microseconds: number) => (REDIRECTS * microseconds) / 1e6 / LOADED

const print = (title: string, rows: readonly (readonly string[])[]) =>
  process.stdout.write(`### ${title}\n\n${table(rows)}\n\n`)

const pair = (title: string, name: string) =>
  `${round(figure(`${title}: requests`, name))} / ${round(figure(`${title}: processor`, name) / 1e3)} µs`
const mebibytes = (name: string) => round(figure('Workers: memory', name) / 2 ** 20)
print('Sizing (docs/operations.md)', [
  ['what', 'a second / processor time of the service for one', 'suite'],
  ['remembered redirects', pair('Redirect, remembered', 'Linkgate, remembered'), 'Redirect, remembered'],
  [
    'redirects asked of the database',
    pair('Redirect, first touch', 'Linkgate, nothing remembered'),
    'Redirect, first touch',
  ],
  ["an owner's PATCH", pair('Change of a link', "Linkgate, owner's PATCH"), 'Change of a link'],
  ['remembered redirects, `WORKERS=1`', pair('Workers, a remembered redirect', 'WORKERS=1'), 'Workers'],
  ['the same, `WORKERS=2`', pair('Workers, a remembered redirect', 'WORKERS=2'), 'Workers'],
  ["an owner's PATCH, `WORKERS=1`", pair('Workers, a change of a link', 'WORKERS=1'), 'Workers'],
  ['the same, `WORKERS=2`', pair('Workers, a change of a link', 'WORKERS=2'), 'Workers'],
])
print('Memory, connections, disk (docs/operations.md)', [
  ['what', 'measured', 'suite'],
  ['the process of `WORKERS=1`, after that load', `${mebibytes('WORKERS=1')} MiB`, 'Workers: memory'],
  [
    'of `WORKERS=2` the primary / each worker',
    `${mebibytes('WORKERS=2, the primary')} / ${mebibytes('WORKERS=2, each worker')} MiB`,
    'Workers: memory',
  ],
  [
    'connections to the database, `WORKERS=1` / `2`',
    `${figure('Workers: connections', 'WORKERS=1')} / ${figure('Workers: connections', 'WORKERS=2')}`,
    'Workers: connections',
  ],
  ['a link of 80 characters, with all indexes', `${round(link.whole)} bytes`, DISK],
  ["a decision's record, with all indexes", `${round(record)} bytes`, "Disk: a decision's record"],
  ['write-ahead log of a change', `${round(wal.again)} to ${round(wal.first)} bytes`, WAL],
])
print('Figures', [
  ['figure', 'measured', 'suite of `npm run bench`'],
  ['a remembered redirect, processor time', `${round(cpu.hit)} µs`, 'Redirect, remembered'],
  ['a redirect that is asked of the database', `${round(cpu.miss)} µs`, 'Redirect, first touch'],
  ["an owner's PATCH", `${round(cpu.change)} µs`, 'Change of a link'],
  ['a link, with all indexes', `${round(link.whole)} bytes`, DISK],
  [
    "of it the table / all indexes / the code's",
    `${round(link.table)} / ${round(link.indexes)} / ${round(link.code)}`,
    DISK,
  ],
  ["a decision's record, with all indexes", `${round(record)} bytes`, "Disk: a decision's record"],
  [
    'write-ahead log of a PATCH, its pages logged before / the first after a checkpoint',
    `${round(wal.again)} / ${round(wal.first)} bytes`,
    WAL,
  ],
  ['write-ahead log of a POST', `${round(wal.made)} bytes`, WAL],
  ['one prepared select behind bare Koa, a second', round(bareSelect), 'Redirect, first touch'],
  [
    'a process',
    `${round(memory)} MiB, at most ${POOL_SIZE} connections, ${EXPORTS} for exports, one that listens and one that ` +
      'loads the policy',
    'Workers; `DATABASE_POOL_SIZE`',
  ],
])
print('Storage', [
  ['what', 'arithmetic', 'result'],
  ['links and their indexes', `10^9 × ${round(link.whole)} B`, gigabytes(LINKS * link.whole)],
  ["of it the code's index, which every miss reads", `10^9 × ${round(link.code)} B`, gigabytes(LINKS * link.code)],
  ['all indexes', `10^9 × ${round(link.indexes)} B`, gigabytes(LINKS * link.indexes)],
  ['records a day', `${round(CHANGES)} × 86,400 × ${round(record)} B`, gigabytes(CHANGES * 86_400 * record)],
  [`records of ${MONTHS} months`, `${MONTHS} × 30.4 × that`, gigabytes(CHANGES * 86_400 * record * 30.4 * MONTHS)],
  [
    'write-ahead log, at least',
    `${round(CHANGES)} × ${round(wal.again)} B`,
    `${round((CHANGES * wal.again) / 1e6)} MB/s, ${gigabytes(CHANGES * wal.again * 86_400)} a day`,
  ],
  [
    'write-ahead log, at most',
    `${round(CHANGES)} × ${round(wal.first)} B`,
    `${round((CHANGES * wal.first) / 1e6)} MB/s, ${gigabytes(CHANGES * wal.first * 86_400)} a day`,
  ],
  [
    'cores for changes',
    `${round(CHANGES)} × ${round(cpu.change)} µs / ${LOADED}`,
    round((CHANGES * cpu.change) / 1e6 / LOADED),
  ],
])
print('Redirects', [
  ['popularity', 'remembered by a process', 'hit ratio h', 'misses a second', 'cores'],
  ...EXPONENTS.flatMap((exponent) =>
    REMEMBERED.map((kept) => {
      const h = hitRatio(kept, LINKS, exponent)
      return [
        `Zipf, s = ${exponent}`,
        kept.toLocaleString('en'),
        percent(h),
        round(REDIRECTS * (1 - h)),
        round(cores(h * cpu.hit + (1 - h) * cpu.miss)),
      ]
    }),
  ),
])
// the least favourable row of the table above
const worst = hitRatio(REMEMBERED[0], LINKS, EXPONENTS[0])
const count = Math.ceil(cores(worst * cpu.hit + (1 - worst) * cpu.miss))
const misses = REDIRECTS * (1 - worst)
print('What stands behind them', [
  ['what', 'arithmetic', 'result'],
  ['processes', "the first row's cores", round(count)],
  ['their memory', `${count} × ${round(memory)} MiB, and their caches`, `${round((count * memory) / 1_024)} GiB`],
  ['connections to the pooler', `${count} × (${POOL_SIZE} + ${EXPORTS} + 1)`, round(count * (POOL_SIZE + EXPORTS + 1))],
  ['connections past it, which listen', `${count} × 1`, round(count)],
  [
    'replicas of two cores, at the least',
    `${round(misses)} misses / ${round(bareSelect)} selects a second`,
    round(Math.ceil(misses / bareSelect)),
  ],
  ['notifications of changes', `${round(CHANGES)} × ${count}`, `${round(CHANGES * count)} a second`],
  ['scripts in Redis, where anonymous callers are counted there', 'one a redirect', `${round(REDIRECTS)} a second`],
])
print('Redirects behind a cache', [
  [
    'popularity',
    `held by the cache in front: ${IN_FRONT.toLocaleString('en')}`,
    'what reaches the nodes, a second',
    'cores, all of it misses',
  ],
  ...EXPONENTS.map((exponent) => {
    const h = hitRatio(IN_FRONT, LINKS, exponent)
    return [`Zipf, s = ${exponent}`, percent(h), round(REDIRECTS * (1 - h)), round(cores((1 - h) * cpu.miss))]
  }),
])
