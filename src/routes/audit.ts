import { z } from 'zod'

import { explainRecord } from '../audit/record-explanation.js'
import { isAction } from '../domain/action.js'
import { Refusal } from '../domain/refusal.js'
import { ENTRY_KINDS, viewEntry } from '../layers/4-data/decisions.js'
import type { DecisionLog, LogQuery } from '../layers/4-data/decisions.js'
import type { RequestDecisions } from '../layers/4-data/request-decisions.js'
import { route } from '../layers/compose.js'
import { NO_INPUT, noRecord } from '../layers/route.js'
import type { Answer, DataRule, Route } from '../layers/route.js'
import type { FindSnapshot } from '../policy/past-snapshots.js'
import { TEXT_TYPES, exportText } from './export-text.js'
import { LOG_FORMATS } from './log-export.js'
import {
  Code,
  Cursor,
  Id,
  PageLimit,
  RequestId,
  RevisionNumber,
  Time,
  WantsCount,
  countedBy,
  pageOf,
  text,
  textOrNull,
} from './schemas.js'

const Moment = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-21T05:00:00Z' })
  .meta({ maxLength: 40, examples: ['2026-11-21T05:00:00Z'] })

const EntryBase = z.looseObject({
  id: Id.describe('of the entry'),
  time: Time.describe('when it was decided'),
  request_id: RequestId,
  revision: RevisionNumber,
})

export const DecisionView = EntryBase.extend({
  layer: text(20, 'that decided'),
  subject: z
    .looseObject({
      id: Id.nullable().describe('of the user; null: nobody, or not known'),
      role: text(32, 'that they had then'),
    })
    .describe('who asked'),
  action: text(65, 'what they asked for'),
  resource: z
    .looseObject({
      type: text(32, 'such as `link`'),
      id: Id.nullable().describe('of the record'),
      code: textOrNull(64, 'of a link, at that time'),
      relation: text(10, '`own`, `other` or `absent`'),
    })
    .describe('what it was about'),
  effect: text(10, '`allow` or `deny`'),
  rule: text(64, 'that decided, or the code of the refusal'),
  status: z.int().min(100).max(599).describe('of the answer'),
}).meta({ id: 'Decision', description: 'one decision: who asked for what, and what decided' })

export const EntryView = EntryBase.extend({
  kind: z.enum(ENTRY_KINDS).describe('a decision, or what was changed'),
  subject: z
    .looseObject({
      id: Id.nullable().describe('of the user'),
      role: textOrNull(32, 'that they had then'),
    })
    .describe('who did it'),
  resource: z
    .looseObject({ type: text(32, 'such as `link`'), code: textOrNull(64, 'of a link') })
    .describe('what it was about'),
  change: z.record(z.string().max(200), z.unknown()).optional().describe('what was changed'),
}).meta({ id: 'LogEntry', description: 'A decision, or a change of a user, of the policy or of the log itself.' })

export const ExplainedView = DecisionView.extend({
  explanation: z
    .looseObject({ layer: text(20, 'that decided') })
    .nullable()
    .describe('the rows that were considered, in their order; null: the layer considers none'),
}).meta({
  id: 'ExplainedDecision',
})

export const Filter = z.strictObject({
  limit: PageLimit,
  cursor: Cursor,
  count: WantsCount,
  user: Id.optional().describe('who asked'),
  link: Code.optional().describe('id of a link, or any code that it had'),
  action: z
    .string()
    .refine(isAction, 'must be an action, such as link:delete')
    .meta({ pattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$', maxLength: 65 })
    .optional()
    .describe('what was asked for'),
  effect: z.enum(['allow', 'deny']).optional().describe('what was decided'),
  rule: z.string().min(1).max(64).optional().describe('that decided, or the code of a refusal'),
  from: Moment.optional().describe('then or later'),
  to: Moment.optional().describe('before'),
  format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('a page, or all of them as a stream'),
})

export const TimelineFilter = Filter.extend({
  kind: z.enum(ENTRY_KINDS).optional().describe('a decision, or what was changed'),
})

export const ExplainedRequest = z.object({
  request_id: RequestId,
  data: z.array(ExplainedView).max(100).describe('the decisions of the request'),
  more: z.boolean().describe('whether it has more than these'),
})

/** One page as JSON, or every match, oldest first, as a stream of csv or ndjson. */
const answer = async (
  store: DecisionLog,
  { format, cursor, count, limit, ...filter }: LogQuery & z.output<typeof Filter>,
  name: string,
  client: { readonly chunked: boolean },
): Promise<Answer> => {
  if (format === 'json') {
    const [page, counted] = await Promise.all([
      store.page({ ...filter, limit, cursor }),
      countedBy(count, () => store.countListed(filter)),
    ])
    return { status: 200, body: { ...page, ...counted } }
  }
  const ofPages = Object.entries({ cursor, count }).filter(([, value]) => value !== undefined)
  if (ofPages.length > 0)
    throw new Refusal('invalid_query', {
      errors: ofPages.map(([field]) => ({ field, message: 'is for pages only; an export has none' })),
    })
  return {
    status: 200,
    body: await exportText(store.export(filter), LOG_FORMATS[format], client),
    type: TEXT_TYPES[format],
    headers: { 'Content-Disposition': `attachment; filename="${name}.${format}"` },
  }
}

const types = ['application/json', 'text/csv', 'application/x-ndjson']

/** Everything under /audit. */
export const auditRoutes = ({
  decisions,
  requests,
  findSnapshot,
}: {
  readonly decisions: DataRule<DecisionLog>
  readonly requests: DataRule<RequestDecisions>
  readonly findSnapshot: FindSnapshot
}): readonly Route[] => {
  const reading = {
    method: 'get',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'audit:read', quota: 'caller' },
    endpoint: 'audit:read',
    object: { action: 'audit:read', load: noRecord },
  } as const
  return [
    route({
      ...reading,
      path: '/audit/decisions',
      data: decisions,
      query: Filter,
      handle: ({ store, query, headers }) => answer(store, { ...query, kind: 'decision' }, 'decisions', headers),
      documentation: {
        id: 'listDecisions',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'List decisions, newest first, or export all of them as a stream',
        tag: 'audit',
        types,
        response: pageOf(DecisionView),
      },
    }),
    route({
      ...reading,
      path: '/audit/timeline',
      data: decisions,
      query: TimelineFilter,
      handle: ({ store, query, headers }) => answer(store, query, 'timeline', headers),
      documentation: {
        id: 'getTimeline',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'List decisions, changes of users and policy revisions together, newest first',
        tag: 'audit',
        types,
        response: pageOf(EntryView),
      },
    }),
    route({
      ...reading,
      path: '/audit/requests/:request_id',
      data: requests,
      params: z.object({ request_id: RequestId }),
      handle: async ({ store, params: { request_id } }) => {
        const { records, more } = await store.of(request_id)
        if (records.length === 0)
          throw new Refusal('not_found', {
            detail:
              'No decision is recorded under this request id. Refusals and allowed reads are recorded within a ' +
              'second, allowed public reads only where the service is configured to.',
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
        summary: 'Explain a request: its decisions, each with the rows that were considered under its revision',
        tag: 'audit',
        response: ExplainedRequest,
      },
    }),
  ]
}
