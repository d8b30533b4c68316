import { z } from 'zod'

import { MOST_DAYS, MOST_HOURS, VISIT_INTERVALS } from '../domain/visit-range.js'
import { COUNTED, type VisitDimension } from '../layers/4-data/visit-statistics.js'
import { Tag } from './link-fields.js'
import { Code, Moment, Time, count, integerText, text, textOrNull } from './schemas.js'

const PERIOD = {
  from: Moment.optional().meta({
    description:
      'a time, or a day, which starts at midnight in `zone`. Default: 30 days before `to`, from the ' +
      'start of the day, week or month on',
  }),
  to: Moment.optional().meta({ description: 'end of the range, exclusive. Default: the end of the current hour' }),
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
    .meta({ description: 'who is counted: people (`false`), people and bots (`true`), or only bots (`only`)' }),
}

export const OfLink = z.strictObject(PERIOD)

export const OfAll = z.strictObject({
  ...PERIOD,
  tag: z.array(Tag).max(20).optional().describe('links that have all of these'),
})

const ValueCounts = z
  .array(z.object({ value: textOrNull(253, 'null: unknown, or none'), visits: count('visits with this value') }))
  .max(101)

const Point = z.object({
  time: Time.describe('start of the interval'),
  visits: count('visits in the interval'),
  visitors: count('daily visitors in the interval'),
})

const VisitsBase = z.object({
  from: Time.describe('start of the first counted hour'),
  to: Time.describe('end of the last counted hour'),
  interval: z.enum(VISIT_INTERVALS).describe('interval of the series'),
  zone: text(64, 'a time zone of the IANA database'),
  counting: z.boolean().describe('false: visits are no longer counted (VISITS=off); these are from before'),
  total: count('visits by people, unless `bots` says otherwise; the sum of the series, and of each list'),
  visitors: count(
    'daily visitors of each link, added up. People are recognised only within one day (UTC), so a person who comes ' +
      'on two days, or follows two links, counts twice',
  ),
  bots: count('visits by bots, whatever the parameter `bots` says'),
  before: z
    .object({ total: count('visits in that time'), visitors: count('visitors in that time') })
    .meta({ description: 'the same numbers for the same number of hours directly before' }),
  series: z.array(Point).max(MOST_HOURS).meta({
    description: 'every hour, day, week or month, by its start; `from` and `to` may cut the first and the last',
  }),
  by: z
    .object({
      referrer: ValueCounts.describe('hosts of the referring pages'),
      country: ValueCounts.describe('two letters (ISO 3166-1)'),
      browser: ValueCounts.describe('by name'),
      os: ValueCounts.describe('operating systems by name'),
      device: ValueCounts.describe('`desktop`, `mobile`, `tablet` or `tv`'),
    } satisfies Record<VisitDimension, typeof ValueCounts>)
    .meta({
      description: 'the 100 most frequent values of each; `other` is the rest; null: unknown, or no referrer',
    }),
})

const DESCRIPTION =
  'Whole hours (UTC) are counted: times are cut to the hour, and `from` and `to` show the counted range. In zones ' +
  'that are half an hour off, a day includes the hour in which it starts. Days older than 35 days count at noon (UTC).'

export const VisitsView = VisitsBase.meta({ id: 'Visits', description: DESCRIPTION })

export const AllVisitsView = VisitsBase.extend({
  links: z
    .array(z.object({ code: Code, visits: count('visits in the range') }))
    .max(10)
    .meta({
      description: 'the ten most visited links, without those in the trash, whose visits are in the other numbers',
    }),
}).meta({ id: 'AllVisits', description: DESCRIPTION })

export const LiveQuery = z.strictObject({
  limit: integerText(1, 9_999).optional().describe('the number of events after which the stream ends'),
})
