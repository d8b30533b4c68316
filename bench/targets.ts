import Table from 'cli-table3'

import { timesBaseline } from './measure.js'
import { DIVISOR, type Suite } from './report.js'

/** What a figure is held against: how many times the baseline a subject is, or its median itself. */
interface Target {
  readonly path: string
  readonly suite: string
  readonly subject: string
  /** another baseline than the suite's own */
  readonly against?: string
  readonly bound: 'at most' | 'at least'
  readonly value: number
  /** an amount in the suite's unit, and no ratio */
  readonly absolute?: true
}

const TARGETS: readonly Target[] = [
  {
    path: 'can(), against the if-chain',
    suite: 'One decision',
    subject: 'can(), default rows',
    against: 'by hand (if-chain)',
    bound: 'at most',
    value: 8,
  },
  { path: 'CASL, against can()', suite: 'One decision', subject: 'CASL, abilities kept', bound: 'at least', value: 1 },
  {
    path: "Casbin's enforceSync, against can()",
    suite: 'One decision',
    subject: 'casbin enforceSync',
    bound: 'at least',
    value: 100,
  },
  {
    path: 'can() at 100,000 rows',
    suite: 'One decision',
    subject: 'can(), 100,000 rows more',
    bound: 'at most',
    value: 1.5,
  },
  {
    path: 'redirect, remembered: rate over bare node:http',
    suite: 'Redirect, remembered: requests a second',
    subject: 'Linkgate, remembered',
    bound: 'at least',
    value: 0.6,
  },
  {
    path: 'redirect, remembered: rate over bare Koa and router',
    suite: 'Redirect, remembered: requests a second',
    subject: 'Linkgate, remembered',
    against: 'bare Koa and router, 302',
    bound: 'at least',
    value: 0.8,
  },
  {
    path: 'redirect, remembered: rate over Koa with the same parts, by hand',
    suite: 'Redirect, remembered: requests a second',
    subject: 'Linkgate, remembered',
    against: 'Koa with the same parts, 302',
    bound: 'at least',
    value: 0.8,
  },
  {
    path: 'redirect, first touch: rate over bare Koa and one select',
    suite: 'Redirect, first touch: requests a second',
    subject: 'Linkgate, nothing remembered',
    bound: 'at least',
    value: 0.75,
  },
  {
    path: 'public GET /links/{code}: rate over bare Koa, router and one select',
    suite: 'A public link: requests a second',
    subject: 'Linkgate, a public GET',
    bound: 'at least',
    value: 0.5,
  },
  {
    path: "owner's PATCH: rate over the same work by hand",
    suite: 'Change of a link: requests a second',
    subject: "Linkgate, owner's PATCH",
    bound: 'at least',
    value: 0.6,
  },
  {
    path: 'the same with 64 callers at once',
    suite: 'Change of a link, 64 callers at once: requests a second',
    subject: "Linkgate, owner's PATCH",
    bound: 'at least',
    value: 0.6,
  },
  {
    path: 'the same with 1 ms each way to the database',
    suite: 'Change of a link, 1 ms each way to the database: requests a second',
    subject: "Linkgate, owner's PATCH",
    bound: 'at least',
    value: 0.9,
  },
  {
    path: "owner's PATCH: processor time over the same work by hand, with the database",
    suite: 'Change of a link: processor time of server and database a request',
    subject: "Linkgate, owner's PATCH",
    bound: 'at most',
    value: 1.6,
  },
  {
    path: "editor's POST: processor time over the same work by hand, with the database",
    suite: 'Creation of a link: processor time of server and database a request',
    subject: "Linkgate, editor's POST",
    bound: 'at most',
    value: 1.6,
  },
  {
    path: 'newest 20 at 1,000,000 links over 10,000',
    suite: 'Newest 20 of one owner',
    subject: 'at 1,000,000 links',
    bound: 'at most',
    value: 1.5,
  },
  ...[
    'by a text that few links have',
    'by a text that all links have',
    'by a tag',
    'by a tag and a text',
    'of those that are not active',
    'of those that are active',
    'by code',
  ].map((what) => ({
    path: `list ${what} at 1,000,000 links over 10,000`,
    suite: `A list ${what}`,
    subject: 'at 1,000,000 links',
    bound: 'at most' as const,
    value: 1.5,
  })),
  {
    path: 'redirect, remembered, with visits on, a browser: rate over visits off',
    suite: 'Redirect, remembered, with visits: requests a second',
    subject: 'visits on, a browser',
    bound: 'at least',
    value: 0.9,
  },
  {
    path: 'redirect, remembered, with visits on, a bot: rate over visits off',
    suite: 'Redirect, remembered, with visits: requests a second',
    subject: 'visits on, a bot',
    bound: 'at least',
    value: 0.9,
  },
  {
    path: 'redirect, remembered, with visits on, no user agent: rate over visits off',
    suite: 'Redirect, remembered, with visits: requests a second',
    subject: 'visits on, no user agent',
    bound: 'at least',
    value: 0.9,
  },
  {
    path: 'age of the newest written visit under full load, at the worst, ms',
    suite: 'Full load for 60 s: age of the newest visit',
    subject: 'written, at the worst',
    bound: 'at most',
    value: 2_000,
    absolute: true,
  },
  {
    path: 'a year by day of 1,000 links, ms',
    suite: 'A year by day of 100,000,000 visits',
    subject: '1,000 links',
    bound: 'at most',
    value: 200,
    absolute: true,
  },
  {
    path: 'redirect with a maximum of visits: rate over bare Koa and one UPDATE',
    suite: 'Redirect of a link with a maximum of visits: requests a second',
    subject: 'Linkgate, max_visits',
    bound: 'at least',
    value: 0.5,
  },
  {
    // of two links that are alike the rates differ by more
    path: 'redirect, remembered: processor time of a link with everything over a plain one',
    suite: 'Redirect, remembered, by what is in the record: processor time of the server a request',
    subject: 'a link with everything',
    bound: 'at most',
    value: 1.03,
  },
  {
    path: 'creation in bulk: µs a link (3,000 a second)',
    suite: 'Creation in bulk, a link',
    subject: '1,000 in a request',
    bound: 'at most',
    value: 333,
    absolute: true,
  },
  {
    path: "somebody else's slowest creations beside bulk requests",
    suite: "Somebody else's slowest creations (p99)",
    subject: 'beside bulk requests',
    bound: 'at most',
    value: 2,
  },
  {
    path: 'export of 1,000,000 links: memory over idle, MiB',
    suite: 'Memory of that export',
    subject: 'its peak over that',
    bound: 'at most',
    value: 64,
    absolute: true,
  },
  {
    path: 'export of 1,000,000 links: time over COPY',
    suite: 'Export of 1,000,000 links',
    subject: 'Linkgate, GET /links/export',
    bound: 'at most',
    value: 2,
  },
  {
    path: 'policy edit in force on 4 processes: p99, ms',
    suite: 'A policy edit in force on 4 processes (100 edits)',
    subject: '99th percentile',
    bound: 'at most',
    value: 100,
    absolute: true,
  },
  {
    path: 'warm start to ready, ms',
    suite: 'Start',
    subject: 'warm start to ready',
    bound: 'at most',
    value: 1_000,
    absolute: true,
  },
]

export interface Verdict {
  readonly path: string
  readonly measured: number
  readonly bound: Target['bound']
  readonly value: number
  readonly met: boolean
}

/**
 * Every target with the figure of this run. Throws if a suite or a subject is missing, so that no target goes
 * unmeasured.
 */
export const judge = (suites: readonly Suite[]): readonly Verdict[] =>
  TARGETS.map(({ path, suite: title, subject, against, bound, value, absolute }) => {
    const suite = suites.find((each) => each.title === title)
    const figuresOf = (name: string) => {
      const found = suite?.measured.find((each) => each.name === name)
      if (found === undefined) throw new Error(`no figure of ${title}: ${name}`)
      return found
    }
    const figures = figuresOf(subject)
    const measured =
      absolute && suite
        ? figures.median / DIVISOR[suite.unit]
        : timesBaseline(figures, figuresOf(against ?? suite?.baseline ?? ''))
    return { path, measured, bound, value, met: bound === 'at most' ? measured <= value : measured >= value }
  })

export const printVerdicts = (verdicts: readonly Verdict[]): void => {
  const table = new Table({ head: ['What is aimed at', 'this run', 'target', 'met'], style: { head: [], border: [] } })
  for (const { path, measured, bound, value, met } of verdicts)
    table.push([path, measured.toPrecision(3), `${bound} ${value}`, met ? 'yes' : 'NO'])
  process.stdout.write(`${table.toString()}\n`)
}
