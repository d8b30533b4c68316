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
import { Code, Cursor, Id, PageLimit, Time, pageOf } from './schemas.js'

const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-21T05:00:00Z' })

const EntryBase = z.looseObject({ id: Id, time: Time, request_id: z.string(), revision: z.number() })

const DecisionView = EntryBase.extend({
  layer: z.string(),
  subject: z.looseObject({ id: Id.nullable(), role: z.string() }),
  action: z.string(),
  resource: z.looseObject({
    type: z.string(),
    id: Id.nullable(),
    code: z.string().nullable(),
    relation: z.string(),
  }),
  effect: z.string(),
  rule: z.string(),
  status: z.number(),
}).meta({ id: 'Decision' })

const EntryView = EntryBase.extend({
  kind: z.enum(ENTRY_KINDS),
  subject: z.looseObject({ id: Id.nullable(), role: z.string().nullable() }),
  resource: z.looseObject({ type: z.string(), code: z.string().nullable() }),
  change: z.record(z.string(), z.unknown()).optional(),
}).meta({ id: 'LogEntry', description: 'A decision, or a change of a user, of the policy or of the log itself.' })

const ExplainedView = DecisionView.extend({ explanation: z.looseObject({ layer: z.string() }).nullable() }).meta({
  id: 'ExplainedDecision',
})

const Filter = z.strictObject({
  limit: PageLimit,
  cursor: Cursor,
  user: Id.optional(),
  link: Code.optional(),
  action: z.string().refine(isAction, 'must be an action, such as link:delete').optional(),
  effect: z.enum(['allow', 'deny']).optional(),
  rule: z.string().min(1).max(64).optional(),
  from: Moment.optional(),
  to: Moment.optional(),
  format: z.enum(['json', 'csv', 'ndjson']).default('json'),
})

/** One page as JSON, or every match, oldest first, as a stream of csv or ndjson. */
const answer = async (
  store: DecisionLog,
  { format, cursor, ...query }: LogQuery & { readonly format: 'json' | 'csv' | 'ndjson' },
  name: string,
  client: { readonly chunked: boolean },
): Promise<Answer> => {
  if (format === 'json') return { status: 200, body: await store.page({ ...query, cursor }) }
  if (cursor !== undefined)
    throw new Refusal('invalid_query', {
      errors: [{ field: 'cursor', message: 'is for pages only; an export has none' }],
    })
  return {
    status: 200,
    body: await exportText(store.export(query), LOG_FORMATS[format], client),
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
        summary: 'List decisions, newest first, or export all of them as a stream',
        tag: 'audit',
        types,
        refusals: [426],
        response: pageOf(DecisionView),
      },
    }),
    route({
      ...reading,
      path: '/audit/timeline',
      data: decisions,
      query: Filter.extend({ kind: z.enum(ENTRY_KINDS).optional() }),
      handle: ({ store, query, headers }) => answer(store, query, 'timeline', headers),
      documentation: {
        id: 'getTimeline',
        summary: 'List decisions, changes of users and policy revisions together, newest first',
        tag: 'audit',
        types,
        refusals: [426],
        response: pageOf(EntryView),
      },
    }),
    route({
      ...reading,
      path: '/audit/requests/:request_id',
      data: requests,
      params: z.object({ request_id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) }),
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
        response: z.object({ request_id: z.string(), data: z.array(ExplainedView), more: z.boolean() }),
      },
    }),
  ]
}
