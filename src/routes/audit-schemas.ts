import { z } from 'zod'

import { RELATIONS } from '../domain/decision.js'
import { DECIDING_LAYERS, ENTRY_KINDS, statusRange } from '../domain/log-filter.js'
import { isId } from '../domain/id.js'
import { isEmail } from '../domain/user.js'
import { EFFECTS } from '../domain/policy-row.js'
import { ActionName, ExplanationView } from './policy-explanation-schemas.js'
import {
  Code,
  Cursor,
  GivenLimit,
  Id,
  MomentInUtc,
  RequestId,
  RevisionNumber,
  Time,
  WantsCount,
  endsAfter,
  revisionNumber,
  text,
  textOrNull,
} from './schemas.js'

const EntryBase = z.object({
  id: Id.describe('id of the entry'),
  time: Time.describe('time of the decision or change'),
  revision: RevisionNumber,
  token_id: textOrNull(255, 'id of the token'),
  row_priority: z.int().nullable().describe('priority of the deciding row; null: no row decided'),
  change: z.record(z.string().max(200), z.unknown()).optional().describe('the changes'),
})
const subject = z.object({
  id: Id.nullable().describe('id of the user; null: no user, or unknown'),
  role: text(32, 'the role of the user at that time'),
  network: textOrNull(64, 'the network of a caller without a user'),
})
const resource = z.object({
  type: text(32, 'such as `link`'),
  id: Id.nullable().describe('id of the link'),
  code: textOrNull(64, 'code of the link at that time'),
  relation: z.enum(RELATIONS).describe('the relation of the caller to the record'),
})
/** What only decisions have. */
const DECIDED = {
  layer: text(20, 'the deciding layer'),
  action: text(65, 'the requested action'),
  effect: z.enum(EFFECTS).describe('the decision'),
  rule: text(64, 'the deciding rule, or the code of the refusal'),
  status: z.int().min(100).max(599).describe('status of the response'),
}

export const DecisionView = EntryBase.extend({
  ...DECIDED,
  kind: z.literal('decision').describe('a decision'),
  request_id: RequestId,
  subject: subject.describe('the caller'),
  resource: resource.describe('the record concerned'),
}).meta({ id: 'Decision', description: 'one decision: who requested what, and what decided it' })

/** A change that no decision allowed has none of them. */
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().describe(`${schema.description}; null: a change without a decision`)

export const EntryView = EntryBase.extend({
  layer: orNull(DECIDED.layer),
  action: orNull(DECIDED.action),
  effect: orNull(DECIDED.effect),
  rule: orNull(DECIDED.rule),
  status: orNull(DECIDED.status),
  kind: z.enum(ENTRY_KINDS).describe('a decision, or the kind of the changed record'),
  request_id: text(64, 'id of the request in the log; empty: not made by a request'),
  subject: subject.extend({ role: orNull(subject.shape.role) }).describe('who made the change'),
  resource: resource.extend({ relation: orNull(resource.shape.relation) }).describe('the record concerned'),
}).meta({ id: 'LogEntry', description: 'A decision, or a change of a user, of the policy or of the log itself.' })

const { shape: explained } = ExplanationView.shape.explanation

const ExplainedView = DecisionView.extend({
  explanation: z
    .union([
      z.object({
        layer: text(20, 'the deciding layer'),
        code: text(64, 'code of the refusal'),
        why: text(500, 'what it means'),
      }),
      z.object({
        ...explained,
        relation: explained.relation.optional(),
        object: explained.object.optional(),
        agrees: z
          .boolean()
          .describe('false: the rows of that revision would decide differently today, because model.conf has changed'),
      }),
    ])
    .nullable()
    .describe('the considered rows, in order, or why no row decided; null: the rows of that revision cannot be read'),
}).meta({
  id: 'ExplainedDecision',
})

export const Filter = z
  .strictObject({
    limit: GivenLimit,
    cursor: Cursor,
    count: WantsCount,
    user: z
      .string()
      .max(254)
      .refine((text) => isId(text) || isEmail(text), 'must be the id of a user, or their e-mail address')
      .optional()
      .describe('who asked: their id, or their e-mail address, in any case'),
    link: Code.optional().describe(
      'id of a link: all its entries; or a code that it has or had: those under that code',
    ),
    action: ActionName.optional().describe('the requested action'),
    effect: z.enum(['allow', 'deny']).optional().describe('the decision'),
    rule: z.string().min(1).max(64).optional().describe('the deciding rule, or the code of a refusal'),
    layer: z.enum(DECIDING_LAYERS).optional().describe('the deciding layer'),
    status: z
      .string()
      .refine((text) => statusRange(text) !== null, 'must be a status such as 403, or a class of them such as 4xx')
      .meta({ pattern: '^[1-5]([0-9]{2}|xx)$', maxLength: 3, examples: ['403', '4xx'] })
      .optional()
      .describe('status of the response, or a class of statuses'),
    revision: revisionNumber(0).optional().describe('the policy revision of the decision'),
    request: RequestId.optional().describe('id of one request'),
    from: MomentInUtc.optional().describe('at this time or later; a day starts at midnight UTC'),
    to: MomentInUtc.optional().describe('before this time; a day starts at midnight UTC'),
    format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('a page, or all entries as a stream'),
  })
  .check(endsAfter('from', 'to'))

export const TimelineFilter = Filter.safeExtend({
  kind: z.enum(ENTRY_KINDS).optional().describe('a decision, or the kind of the changed record'),
})

export const ExplainedRequest = z.object({
  request_id: RequestId,
  data: z.array(ExplainedView).max(100).describe('the decisions of the request'),
  more: z.boolean().describe('whether the request has further decisions'),
})
