import type { Knex } from 'knex'

import type { Statement } from '../../database/statement.js'
import { hourOf, type VisitRange } from '../../domain/visit-range.js'
import { knex } from './query.js'

export const VISIT_DIMENSIONS = ['referrer', 'country', 'browser', 'os', 'device'] as const
export type VisitDimension = (typeof VISIT_DIMENSIONS)[number]

/** Who is counted: people (`false`), people and bots (`true`), or bots only. */
export const COUNTED = ['false', 'true', 'only'] as const
export type Counted = (typeof COUNTED)[number]

export interface VisitQuery {
  readonly range: VisitRange
  readonly bots: Counted
}

/** The series and each list of values add up to `total`. */
export interface VisitStatistics {
  readonly total: number
  /** the sum over days and links: a visitor counts once per day and link */
  readonly visitors: number
  readonly bots: number
  /** the same number of hours directly before the range */
  readonly before: { readonly total: number; readonly visitors: number }
  readonly series: readonly { readonly time: string; readonly visits: number; readonly visitors: number }[]
  readonly by: Readonly<Record<VisitDimension, readonly ValueCount[]>>
}

export interface ValueCount {
  /** null: unknown; `other`: all but the most frequent values */
  readonly value: string | null
  readonly visits: number
}

/** The source rows of statistics: builders bound to what the caller reaches. */
export interface VisitSource {
  /** rows with hour, visits, bots, visitors */
  readonly hours: Knex.QueryBuilder
  /** rows with hour, dimension, value, visits, bots */
  readonly values: Knex.QueryBuilder
  /** the links, if not all of an owner; `hours` and `values` refer to it as `reached` */
  readonly reached?: Knex.QueryBuilder
}

/** The SQL expression that counts the visits of a row of totals. */
export const COUNT: Readonly<Record<Counted, string>> = { false: 'visits', true: 'visits + bots', only: 'bots' }

const MOST_VALUES = 100

/**
 * Sent before statements that add up totals. PostgreSQL estimates row-level security as so expensive that sorting all
 * rows looks free beside it. Without a sort it uses a hash aggregate, in less than half of the time.
 */
export const WITHOUT_SORT: Statement = { text: 'set local enable_sort = off' }

/** A single statement, so that everything is read from one snapshot. */
export const statisticsQuery = ({ hours, values, reached }: VisitSource, { range, bots }: VisitQuery): Knex.Raw => {
  const { from, to } = range
  const count = COUNT[bots]
  // visitors are people
  const visitors = bots === 'only' ? '0' : 'visitors'
  return knex.raw(
    `with reached as materialized (?),
     hours as materialized (
       select hour, ${count} as count, ${visitors} as visitors, bots from (?) h where hour >= ? and hour < ?
     ), sums as (
       select dimension, value, sum(${count}) as count from (?) v where hour >= ? and hour < ?
        group by dimension, value having sum(${count}) <> 0
     ), ranked as (
       select s.*, row_number() over (partition by dimension order by value = 'other', count desc, value) as rank
         from sums s
     )
     select 'series' as part, width_bucket(hour, ?::int[])::text as name, sum(count)::float8 as visits,
         sum(visitors)::float8 as visitors, sum(bots)::float8 as bots
       from hours where hour >= ? group by 2
     union all
     select 'before', null, sum(count), sum(visitors), sum(bots) from hours where hour < ?
     union all
     select dimension::text, case when rank > ${MOST_VALUES} then 'other' else value end, sum(count), 0, 0
       from ranked group by 1, 2`,
    [
      reached ?? knex.raw('select 1'),
      hours,
      from - (to - from),
      to,
      values,
      from,
      to,
      range.starts.map((start) => Math.max(hourOf(start), from)),
      from,
      from,
    ],
  )
}

interface StatisticsRow {
  /** `series`, `before`, or a dimension */
  readonly part: string
  /** the number of the point from 1 on, or the value */
  readonly name: string | null
  readonly visits: number | null
  readonly visitors: number | null
  readonly bots: number | null
}

/** Converts the rows of `statisticsQuery` to their public form. */
export const toStatistics = (rows: readonly StatisticsRow[], { starts }: VisitRange): VisitStatistics => {
  const points = new Map<string | null, StatisticsRow>()
  const by: Record<VisitDimension, ValueCount[]> = { referrer: [], country: [], browser: [], os: [], device: [] }
  let before = { total: 0, visitors: 0 }
  for (const row of rows) {
    const { part, name } = row
    const dimension = VISIT_DIMENSIONS.find((each) => each === part)
    if (dimension !== undefined) by[dimension].push({ value: name === '' ? null : name, visits: row.visits ?? 0 })
    else if (part === 'before') before = { total: row.visits ?? 0, visitors: row.visitors ?? 0 }
    else points.set(name, row)
  }
  const series = starts.map((start, i) => {
    const { visits, visitors } = points.get(String(i + 1)) ?? {}
    return { time: new Date(start).toISOString(), visits: visits ?? 0, visitors: visitors ?? 0 }
  })
  for (const list of Object.values(by)) list.sort(mostFirst)
  return {
    total: sum(series.map(({ visits }) => visits)),
    visitors: sum(series.map(({ visitors }) => visitors)),
    bots: sum([...points.values()].map(({ bots }) => bots ?? 0)),
    before,
    series,
    by,
  }
}

/** `other` always comes last. */
const mostFirst = (a: ValueCount, b: ValueCount): number =>
  Number(a.value === 'other') - Number(b.value === 'other') ||
  b.visits - a.visits ||
  (a.value ?? '').localeCompare(b.value ?? '')

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
