import { z } from 'zod'

import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { inputSchema } from '../openapi/schemas.js'
import { Row as PolicyRowSchema } from '../policy/parse-row.js'
import { text, textOrNull } from './schemas.js'

/** A row as somebody wrote it, or one of the policy. */
export const AnyRow = z.looseObject({ ptype: text(100, 'the section of model.conf') })

/** What a policy can have: far more than anybody edits. */
export const MOST_ROWS = 100_000

export const MOST_CELLS = 1_000_000

export const Row = z
  .looseObject({
    ptype: z.enum(['p', 'p2', 'g']).describe('the section of model.conf that it belongs to'),
    comment: text(500, 'what admins say of it, in `GET /policy`').optional(),
  })
  .meta({ id: 'PolicyRow', description: 'An object row (p), an endpoint row (p2) or an inheritance row (g)' })

/** Parsed row by row, so that every fault is named. */
export const EditedRow = z.unknown().meta(inputSchema(PolicyRowSchema))

// rows that were written with SQL may lie outside the vocabulary
const AnyRows = z.array(AnyRow).max(MOST_ROWS)

export const CommentChanges = z
  .array(
    z.object({
      row: z.looseObject({ ptype: text(100, 'the section of model.conf') }).describe('that it is about'),
      before: textOrNull(500, 'null: there was none'),
      after: textOrNull(500, 'null: there is none any more'),
    }),
  )
  .max(2 * MOST_ROWS)
  .describe('comments of rows that came, changed or went, with their rows too')

export const Reason = z
  .string()
  .trim()
  .min(1, 'is required: the history says why')
  .max(1_000)
  .describe('why, for the history')

export const revisionNumber = (fault: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, fault)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: 999_999_999_999_999 })

export const Outcome = z.object({
  effect: z.enum(EFFECTS).describe('of the object rows'),
  rule: text(64, 'of the row that decides'),
  endpoint: z.enum(EFFECTS).describe('of the endpoint rows'),
})

export const Cell = z.object({
  role: text(32, 'whose decision it is'),
  action: text(65, 'what is asked for'),
  relation: z.enum(RELATIONS).describe('whose record it is about'),
})

export const CellChange = Cell.extend({
  before: Outcome.describe('under the revision before'),
  after: Outcome.describe('under the new one'),
}).meta({ id: 'DecisionChange', description: 'a decision that falls otherwise' })

export const Actor = z.object({
  id: textOrNull(19, 'of the user'),
  name: textOrNull(254, 'their address as it is today, or what made the edit'),
})

/** What an edit changes, as the history has it. */
export const CHANGED = {
  added: AnyRows.describe('rows that were not there before'),
  removed: AnyRows.describe('rows that are not there any more'),
  comments: CommentChanges,
}
