import { z } from 'zod'

import { isAction } from '../domain/action.js'
import { DECIDING_LAYERS, ENTRY_KINDS, statusRange } from '../domain/log-filter.js'
import { isId } from '../domain/id.js'
import { isEmail } from '../domain/user.js'
import {
  Code,
  Cursor,
  Id,
  Instant,
  PageLimit,
  RequestId,
  RevisionNumber,
  Time,
  WantsCount,
  text,
  textOrNull,
} from './schemas.js'

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
  request_id: text(64, 'names the request in the log; empty: no request did it'),
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

const ExplainedView = DecisionView.extend({
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
  user: z
    .string()
    .max(254)
    .refine((text) => isId(text) || isEmail(text), 'must be the id of a user, or their e-mail address')
    .optional()
    .describe('who asked: their id, or their e-mail address, in any case'),
  link: Code.optional().describe('id of a link: all its entries; or a code that it has or had: those under that code'),
  action: z
    .string()
    .refine(isAction, 'must be an action, such as link:delete')
    .meta({ pattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$', maxLength: 65 })
    .optional()
    .describe('what was asked for'),
  effect: z.enum(['allow', 'deny']).optional().describe('what was decided'),
  rule: z.string().min(1).max(64).optional().describe('that decided, or the code of a refusal'),
  layer: z.enum(DECIDING_LAYERS).optional().describe('that decided'),
  status: z
    .string()
    .refine((text) => statusRange(text) !== null, 'must be a status such as 403, or a class of them such as 4xx')
    .meta({ pattern: '^[1-5]([0-9]{2}|xx)$', maxLength: 3, examples: ['403', '4xx'] })
    .optional()
    .describe('of the answer, or a class of them'),
  revision: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the number of a revision')
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, maximum: 999_999_999_999_999 })
    .optional()
    .describe('of the policy, under which it was decided'),
  request: RequestId.optional().describe('of one request'),
  from: Instant.optional().describe('then or later'),
  to: Instant.optional().describe('before'),
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
