import { z } from 'zod'

import { isAction } from '../domain/action.js'
import { Refusal } from '../domain/refusal.js'
import { ENTRY_KINDS } from '../layers/4-data/decisions.js'
import type { DecisionLog, LogQuery } from '../layers/4-data/decisions.js'
import { route } from '../layers/compose.js'
import { NO_INPUT, noRecord } from '../layers/route.js'
import type { Answer, DataRule, Route } from '../layers/route.js'
import { TEXT_TYPES, exportText } from './export-text.js'
import { LOG_FORMATS } from './log-export.js'
import { Cursor, Id, PageLimit, Time } from './schemas.js'

const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-21T05:00:00Z' })

export const DecisionView = z
  .looseObject({
    id: Id,
    time: Time,
    request_id: z.string(),
    revision: z.number(),
    layer: z.string(),
    subject: z.looseObject({ id: Id.nullable(), role: z.string() }),
    action: z.string(),
    resource: z.looseObject({ type: z.string(), code: z.string().nullable(), relation: z.string() }),
    effect: z.string(),
    rule: z.string(),
    status: z.number(),
  })
  .meta({ id: 'Decision' })

const EntryView = z
  .looseObject({
    id: Id,
    time: Time,
    kind: z.enum(ENTRY_KINDS),
    request_id: z.string(),
    revision: z.number(),
    subject: z.looseObject({ id: Id.nullable(), role: z.string().nullable() }),
    resource: z.looseObject({ type: z.string(), code: z.string().nullable() }),
    change: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'LogEntry', description: 'A decision, or a change of a user, of the policy or of the log itself.' })

const pageOf = (view: z.ZodType) => z.object({ data: z.array(view), next_cursor: z.string().nullable() })

const Filter = z.strictObject({
  limit: PageLimit,
  cursor: Cursor,
  user: Id.optional(),
  action: z.string().refine(isAction, 'must be an action, such as link:delete').optional(),
  effect: z.enum(['allow', 'deny']).optional(),
  rule: z.string().min(1).max(64).optional(),
  from: Moment.optional(),
  to: Moment.optional(),
  format: z.enum(['json', 'csv', 'ndjson']).default('json'),
})

const reading = {
  gateway: { scope: 'audit:read', quota: 'caller' },
  endpoint: 'audit:read',
  object: { action: 'audit:read', load: noRecord },
} as const

/** A page as JSON; as csv or ndjson all that match, oldest first, as a stream. */
const answer = async (
  store: DecisionLog,
  { format, cursor, ...query }: LogQuery & { readonly format: 'json' | 'csv' | 'ndjson' },
  name: string,
): Promise<Answer> => {
  if (format === 'json') return { status: 200, body: await store.page({ ...query, cursor }) }
  if (cursor !== undefined)
    throw new Refusal('invalid_query', {
      errors: [{ field: 'cursor', message: 'belongs to pages; an export has none' }],
    })
  const text = LOG_FORMATS[format]
  return {
    status: 200,
    ...NO_INPUT,
    body: await exportText(store.export(query), text),
    type: TEXT_TYPES[format],
    headers: { 'Content-Disposition': `attachment; filename="${name}.${format}"` },
  }
}

const TYPES = ['application/json', 'text/csv', 'application/x-ndjson']

/** GET /audit/decisions, /audit/timeline. */
export const auditRoutes = ({ decisions }: { readonly decisions: DataRule<DecisionLog> }): readonly Route[] => [
  route({
    method: 'get',
    path: '/audit/decisions',
    status: 200,
    ...NO_INPUT,
    ...reading,
    data: decisions,
    query: Filter,
    handle: ({ store, query }) => answer(store, { ...query, kind: 'decision' }, 'decisions'),
    documentation: {
      summary: 'What was decided, newest first; or all of it as a stream',
      tag: 'audit',
      types: TYPES,
      response: pageOf(DecisionView),
    },
  }),
  route({
    method: 'get',
    path: '/audit/timeline',
    status: 200,
    ...NO_INPUT,
    ...reading,
    data: decisions,
    query: Filter.extend({ kind: z.enum(ENTRY_KINDS).optional() }),
    handle: ({ store, query }) => answer(store, query, 'timeline'),
    documentation: {
      summary: 'Decisions, changes of users and revisions of the policy in one order, newest first',
      tag: 'audit',
      types: TYPES,
      response: pageOf(EntryView),
    },
  }),
]
