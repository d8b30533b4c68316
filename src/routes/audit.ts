import { z } from 'zod'

import { isAction } from '../domain/action.js'
import type { Decisions } from '../layers/4-data/decisions.js'
import { route } from '../layers/compose.js'
import type { DataRule, Route } from '../layers/route.js'
import { Cursor, Id, PageLimit, Time } from './schemas.js'

const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-21T05:00:00Z' })

export const DecisionView = z.looseObject({
  id: Id, time: Time, request_id: z.string(), revision: z.number(), layer: z.string(),
  subject: z.looseObject({ id: Id.nullable(), role: z.string() }),
  action: z.string(),
  resource: z.looseObject({ type: z.string(), code: z.string().nullable(), relation: z.string() }),
  effect: z.string(), rule: z.string(), status: z.number(),
}).meta({ id: 'Decision' })

/** GET /audit/decisions. */
export const auditRoutes = ({ decisions }: { readonly decisions: DataRule<Decisions> }): readonly Route[] => [
  route({
    method: 'get', path: '/audit/decisions', status: 200,
    gateway: { scope: 'audit:read', quota: 'caller' },
    endpoint: 'audit:read',
    object: { action: 'audit:read', load: () => null, without: true },
    data: decisions,
    query: z.strictObject({
      limit: PageLimit, cursor: Cursor,
      user: Id.optional(),
      action: z.string().refine(isAction, 'must be an action, such as link:delete').optional(),
      effect: z.enum(['allow', 'deny']).optional(),
      rule: z.string().min(1).max(64).optional(),
      from: Moment.optional(), to: Moment.optional(),
    }),
    handle: async ({ store, query }) => ({ status: 200, body: await store.page(query) }),
    documentation: { summary: 'What was decided, newest first', tag: 'audit', response: z.object({ data: z.array(DecisionView), next_cursor: z.string().nullable() }) },
  }),
]
