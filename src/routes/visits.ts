import { z } from 'zod'

import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { HOUR_MS, MOST_DAYS, MOST_HOURS, VISIT_INTERVALS, visitRange } from '../domain/visit-range.js'
import type { VisitRange } from '../domain/visit-range.js'
import { COUNTED } from '../layers/4-data/visit-statistics.js'
import type { VisitDimension, VisitStatistics } from '../layers/4-data/visit-statistics.js'
import { VISIT_FORMS } from '../layers/4-data/visit-export.js'
import type { LinkVisitsStore } from '../layers/4-data/visits.js'
import { route } from '../layers/compose.js'
import { NO_INPUT, noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import { TEXT_TYPES, exportText } from './export-text.js'
import { Instant, Tag } from './link-fields.js'
import { Code, Time, count, text, textOrNull } from './schemas.js'

const ByCode = z.object({ code: Code })

const isFrom1970 = (text: string): boolean => text >= '1970'

export const MOMENT_RULE = 'must be a day such as 2026-11-01, or a time as in RFC 3339, from 1970 to 9999'

/** A day in the zone that is asked for, or an instant. */
export const Moment = z.union([z.iso.date().refine(isFrom1970).meta({ maxLength: 10 }), Instant], {
  error: MOMENT_RULE,
})

const PERIOD = {
  from: Moment.optional().meta({
    description:
      'a time, or a day, which begins at midnight in `zone`. Default: 30 days before `to`, from the ' +
      'start of the day, week or month on',
  }),
  to: Moment.optional().meta({ description: 'the hour after the last. Default: now, with the hour that has begun' }),
  interval: z
    .enum(VISIT_INTERVALS)
    .default('day')
    .meta({
      description: `of the series: at most ${MOST_HOURS} hours, or ${MOST_DAYS} others. Weeks begin on Monday`,
    }),
  zone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({
      description: 'a time zone of the IANA database, for days, weeks and months',
      examples: ['Europe/Berlin'],
    }),
  bots: z
    .enum(COUNTED)
    .default('false')
    .meta({ description: 'who is counted: people, people and bots (`true`), or bots alone (`only`)' }),
}
export const OfLink = z.strictObject(PERIOD)
export const OfAll = z.strictObject({
  ...PERIOD,
  tag: z.array(Tag).max(20).optional().describe('links that have all of these'),
})

const ValueCounts = z
  .array(z.object({ value: textOrNull(253, 'null: not known, or none'), visits: count('with this value') }))
  .max(101)

const Point = z.object({
  time: Time.describe('when it begins'),
  visits: count('in it'),
  visitors: count('daily visitors in it'),
})

const VisitsBase = z.object({
  from: Time.describe('the first hour that is counted'),
  to: Time.describe('the hour after the last'),
  interval: z.enum(VISIT_INTERVALS).describe('of the series'),
  zone: text(64, 'a time zone of the IANA database'),
  total: count('people, unless `bots` says otherwise; the sum of the series, and of each list'),
  visitors: count(
    'people whose first visit of a link on a day (UTC) it was. They are recognised for one day only, so this ' +
      'number adds up days and links: who comes on two days, or follows two links, counts twice',
  ),
  bots: count('visits by bots, whoever is counted elsewhere'),
  before: z
    .object({ total: count('then'), visitors: count('then') })
    .meta({ description: 'the same of as many hours directly before' }),
  series: z.array(Point).max(MOST_HOURS).meta({
    description: 'every hour, day, week or month, with the time at which it begins; `from` and `to` may cut it',
  }),
  by: z
    .object({
      referrer: ValueCounts.describe('hosts of the pages that led there'),
      country: ValueCounts.describe('two letters (ISO 3166-1)'),
      browser: ValueCounts.describe('by name'),
      os: ValueCounts.describe('operating systems by name'),
      device: ValueCounts.describe('`desktop`, `mobile`, `tablet` or `tv`'),
    } satisfies Record<VisitDimension, typeof ValueCounts>)
    .meta({
      description: 'the 100 most frequent values of each; `other` is the rest, null is not known (or no referrer)',
    }),
})
const DESCRIPTION =
  'Whole hours (UTC) are counted: times are cut to the hour, and `from` and `to` say what was counted. Where clocks ' +
  'are half an hour off, a day has the hour in which it begins. Days older than 35 days count at noon (UTC).'
export const VisitsView = VisitsBase.meta({ id: 'Visits', description: DESCRIPTION })
export const AllVisitsView = VisitsBase.extend({
  links: z
    .array(z.object({ code: Code, visits: count('in the range') }))
    .max(10)
    .meta({ description: 'the ten that were visited most; none of the trash, whose visits are in the other numbers' }),
}).meta({ id: 'AllVisits', description: DESCRIPTION })

type Asked = z.output<typeof OfLink>

const requireRange = (asked: Asked): VisitRange => {
  const found = visitRange(asked, Date.now())
  if ('fault' in found) throw new Refusal('invalid_query', { errors: [found.fault] })
  return found.range
}

/** As it is answered. */
export const showVisits = <Statistics extends VisitStatistics>(
  { interval, zone }: Pick<Asked, 'interval' | 'zone'>,
  { from, to }: VisitRange,
  statistics: Statistics,
) => ({ from: timeOf(from), to: timeOf(to), interval, zone, ...statistics })

const timeOf = (hour: number): string => new Date(hour * HOUR_MS).toISOString()

/** Who visited. Visits are for whoever may change the link, so `can()` is asked about that as well. */
export const visitRoutes = ({
  findLink,
  visits,
}: {
  readonly findLink: (code: string) => Promise<Link | null>
  readonly visits: DataRule<LinkVisitsStore>
}): readonly Route[] => {
  const reading = {
    method: 'get',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'link:read', quota: 'caller' },
    endpoint: 'link:read',
    data: visits,
  } as const
  const ofLink = {
    ...reading,
    object: {
      action: 'link:read',
      and: 'link:update',
      load: ({ code }: z.infer<typeof ByCode>) => findLink(code),
    },
    params: ByCode,
  } as const

  return [
    route({
      ...ofLink,
      path: '/links/:code/visits',
      query: OfLink,
      handle: async ({ store, record, query }) => {
        const range = requireRange(query)
        const statistics = await store.ofLink(record, { range, bots: query.bots })
        return { status: 200, body: showVisits(query, range, statistics) }
      },
      documentation: {
        id: 'getLinkVisits',
        summary: 'The visits of a link',
        tag: 'visits',
        response: VisitsView,
      },
    }),
    route({
      ...ofLink,
      path: '/links/:code/visits/export',
      query: z.strictObject({ format: z.enum(['csv', 'ndjson']).default('csv').describe('of the file') }),
      handle: async ({ store, record, query: { format }, headers }) => ({
        status: 200,
        body: await exportText(
          store.export(record, format),
          { head: VISIT_FORMS[format].head, lines: (lines) => lines },
          headers,
        ),
        type: TEXT_TYPES[format],
        headers: { 'Content-Disposition': `attachment; filename="visits-${record.code}.${format}"` },
      }),
      documentation: {
        id: 'exportLinkVisits',
        refusals: ['upgrade_required', 'exports_busy'],
        summary:
          'Export the single visits of a link in the last VISIT_DAYS, oldest first, as a stream. In CSV, a cell that ' +
          'a spreadsheet would take for a formula has an apostrophe before it',
        tag: 'visits',
        types: ['text/csv', 'application/x-ndjson'],
      },
    }),
    route({
      ...reading,
      path: '/visits',
      object: { action: 'link:read', load: noRecord },
      query: OfAll,
      handle: async ({ store, query: { tag = [], ...query } }) => {
        const range = requireRange(query)
        const statistics = await store.ofAll({ range, bots: query.bots }, [...new Set(tag)])
        return { status: 200, body: showVisits(query, range, statistics) }
      },
      documentation: {
        id: 'getVisits',
        refusals: ['exports_busy'],
        summary: 'The visits of all links that the caller may change, or of those that have all of the tags',
        tag: 'visits',
        response: AllVisitsView,
      },
    }),
  ]
}
