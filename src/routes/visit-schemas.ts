import { z } from 'zod'

import { MOST_DAYS, MOST_HOURS, VISIT_INTERVALS } from '../domain/visit-range.js'
import { COUNTED } from '../layers/4-data/visit-statistics.js'
import type { VisitDimension } from '../layers/4-data/visit-statistics.js'
import { Tag } from './link-fields.js'
import { Code, Instant, Time, count, text, textOrNull } from './schemas.js'

const isFrom1970 = (text: string): boolean => text >= '1970'

export const MOMENT_RULE = 'must be a day such as 2026-11-01, or a time as in RFC 3339, from 1970 to 9999'

/** A day in the zone that is asked for, or an instant. */
export const Moment = z.union(
  [z.iso.date({ abort: true, error: MOMENT_RULE }).refine(isFrom1970, MOMENT_RULE).meta({ maxLength: 10 }), Instant],
  { error: MOMENT_RULE },
)

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
  counting: z.boolean().describe('false: visits are not counted any more (VISITS=off); these are from before'),
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

export const LiveQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must be an integer from 1 to 9999')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: 9_999, description: 'after so many events the stream ends' }),
})
