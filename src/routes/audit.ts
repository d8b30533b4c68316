import { z } from 'zod'

import { explainRecord } from '../audit/record-explanation.js'
import { isId } from '../domain/id.js'
import { Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import { viewEntry, type DecisionLog, type LogQuery } from '../layers/4-data/decisions.js'
import type { RequestDecisions } from '../layers/4-data/request-decisions.js'
import { route } from '../layers/compose.js'
import type { Answer, Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import type { FindSnapshot } from '../policy/past-snapshots.js'
import { DecisionView, EntryView, ExplainedRequest, Filter, TimelineFilter } from './audit-schemas.js'
import { exportFile } from './export-text.js'
import { LOG_FORMATS } from './log-export.js'
import { LIMIT, RequestId, pageOf, withCount } from './schemas.js'
import { READING_LOG } from './shared-layers.js'

/** One page as JSON, or every match, oldest first, as a stream of CSV or NDJSON. */
const answer = async (
  store: DecisionLog,
  { format, cursor, count, limit, ...filter }: Omit<LogQuery, 'limit'> & z.output<typeof Filter>,
  name: string,
  client: { readonly chunked: boolean },
): Promise<Answer> => {
  if (format === 'json') {
    const reading = store.page({ ...filter, limit: limit ?? LIMIT, cursor })
    return { status: 200, body: await withCount(reading, count, () => store.countListed(filter)) }
  }
  const ofPages = Object.entries({ cursor, count, limit }).filter(([, value]) => value !== undefined)
  if (ofPages.length > 0)
    throw new Refusal('invalid_query', {
      errors: ofPages.map(([field]) => ({ field, message: 'is only for pages; an export has none' })),
    })
  return exportFile(store.export(filter), LOG_FORMATS[format], { name, format, client })
}

/** No user has this id. */
const NOBODY = '0'

const types = ['application/json', 'text/csv', 'application/x-ndjson']

/** Everything under /audit. */
export const auditRoutes = ({
  decisions,
  requests,
  findSnapshot,
  findAddress,
}: {
  readonly decisions: DataRule<DecisionLog>
  readonly requests: DataRule<RequestDecisions>
  readonly findSnapshot: FindSnapshot
  /** the user with an e-mail address */
  readonly findAddress: (email: string) => Promise<User | null>
}): readonly Route[] => {
  /** Replaces an e-mail address by the user's id, or by NOBODY, which matches no entry. */
  const withUserId = async <Query extends Pick<LogQuery, 'user'>>(query: Query): Promise<Query> => {
    if (query.user === undefined || isId(query.user)) return query
    return { ...query, user: (await findAddress(query.user))?.id ?? NOBODY }
  }
  return [
    route({
      ...READING_LOG,
      path: '/audit/decisions',
      data: decisions,
      query: Filter,
      handle: async ({ store, query, headers }) =>
        answer(store, { ...(await withUserId(query)), kind: 'decision' }, 'decisions', headers),
      documentation: {
        id: 'listDecisions',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'List decisions',
        description: 'Newest first; as CSV or NDJSON, all of them as a stream.',
        tag: 'audit',
        types,
        response: pageOf(DecisionView),
      },
    }),
    route({
      ...READING_LOG,
      path: '/audit/timeline',
      data: decisions,
      query: TimelineFilter,
      handle: async ({ store, query, headers }) => answer(store, await withUserId(query), 'timeline', headers),
      documentation: {
        id: 'getTimeline',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'List decisions and changes',
        description: 'Decisions, changes of users and policy revisions together, newest first.',
        tag: 'audit',
        types,
        response: pageOf(EntryView),
      },
    }),
    route({
      ...READING_LOG,
      path: '/audit/requests/:request_id',
      data: requests,
      params: z.object({ request_id: RequestId }),
      handle: async ({ store, params: { request_id } }) => {
        const { records, more } = await store.of(request_id)
        if (records.length === 0)
          throw new Refusal('not_found', {
            detail:
              'No decision is recorded under this request id. Refusals and allowed reads are recorded within a ' +
              'second, and allowed public reads only if the service is configured to.',
          })
        const data = []
        for (const record of records)
          data.push({
            ...viewEntry({ ...record, kind: 'decision', change: null }),
            explanation: explainRecord(record, await findSnapshot(Number(record.revision))),
          })
        return { status: 200, body: { request_id, data, more } }
      },
      documentation: {
        id: 'explainRequest',
        summary: 'Explain a request',
        description: 'Its decisions, each with the considered rows of its revision.',
        tag: 'audit',
        response: ExplainedRequest,
      },
    }),
  ]
}
