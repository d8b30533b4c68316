import type { z } from 'zod'

import type { FindLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import { HOUR_MS, visitRange, type VisitRange } from '../domain/visit-range.js'
import { VISIT_FORMS } from '../layers/4-data/visit-export.js'
import type { VisitStatistics } from '../layers/4-data/visit-statistics.js'
import type { LinkVisitsStore } from '../layers/4-data/visits.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { ExportQuery, exportFile, inText } from './export-text.js'
import { READING_LINKS, readingManagedLink } from './shared-layers.js'
import { AllVisitsView, OfAll, OfLink, VisitsView } from './visit-schemas.js'

type Asked = z.output<typeof OfLink>

const requireRange = (asked: Asked): VisitRange => {
  const found = visitRange(asked, Date.now())
  if ('fault' in found) throw new Refusal('invalid_query', { errors: [found.fault] })
  return found.range
}

/** The response with these statistics. */
export const showVisits = <Statistics extends VisitStatistics>(
  { interval, zone }: Pick<Asked, 'interval' | 'zone'>,
  { from, to }: VisitRange,
  statistics: Statistics,
  counting: boolean,
) => ({ from: timeOf(from), to: timeOf(to), interval, zone, counting, ...statistics })

const timeOf = (hour: number): string => new Date(hour * HOUR_MS).toISOString()

/** Visits of links. They are for callers who may change the link, so `can()` checks that as well. */
export const visitRoutes = ({
  findLink,
  visits,
  counting,
}: {
  readonly findLink: FindLink
  readonly visits: DataRule<LinkVisitsStore>
  /** VISITS */
  readonly counting: boolean
}): readonly Route[] => {
  const ofLink = { ...readingManagedLink(findLink), data: visits } as const

  return [
    route({
      ...ofLink,
      path: '/links/:code/visits',
      query: OfLink,
      handle: async ({ store, record, query }) => {
        const range = requireRange(query)
        const statistics = await store.ofLink(record, { range, bots: query.bots })
        return { status: 200, body: showVisits(query, range, statistics, counting) }
      },
      documentation: {
        id: 'getLinkVisits',
        summary: 'Get the visits of a link',
        tag: 'visits',
        response: VisitsView,
      },
    }),
    route({
      ...ofLink,
      path: '/links/:code/visits/export',
      query: ExportQuery,
      handle: ({ store, record, query: { format }, headers: client }) =>
        exportFile(store.export(record, format), inText(VISIT_FORMS[format]), {
          name: `visits-${record.code}`,
          format,
          client,
        }),
      documentation: {
        id: 'exportLinkVisits',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'Export the visits of a link',
        description:
          'Single visits of the last `VISIT_DAYS`, oldest first, as a stream. In CSV, a cell that a spreadsheet ' +
          'would take for a formula starts with an apostrophe.',
        tag: 'visits',
        types: ['text/csv', 'application/x-ndjson'],
      },
    }),
    route({
      ...READING_LINKS,
      path: '/visits',
      data: visits,
      query: OfAll,
      handle: async ({ store, query: { tag = [], ...query } }) => {
        const range = requireRange(query)
        const statistics = await store.ofAll({ range, bots: query.bots }, [...new Set(tag)])
        return { status: 200, body: showVisits(query, range, statistics, counting) }
      },
      documentation: {
        id: 'getVisits',
        summary: 'Get the visits of all links',
        description: 'Of all that the caller may change, or of those that have all of the tags.',
        tag: 'visits',
        response: AllVisitsView,
      },
    }),
  ]
}
