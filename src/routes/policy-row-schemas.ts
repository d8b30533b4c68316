import { z } from 'zod'

import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { inputSchema } from '../openapi/schemas.js'
import { Row as PolicyRowSchema } from '../policy/parse-row.js'
import { text, textOrNull } from './schemas.js'

/** A row, even one that was written by hand and does not parse. */
export const AnyRow = z.looseObject({ ptype: text(100, 'the section of model.conf') })

/** The most rows in a response: far more than anybody edits. */
export const MOST_ROWS = 100_000

export const MOST_CELLS = 1_000_000

export const Row = z
  .looseObject({
    ptype: z.enum(['p', 'p2', 'g']).describe('the section of model.conf that it belongs to'),
    comment: text(500, 'comment by an admin, in `GET /policy`').optional(),
  })
  .meta({ id: 'PolicyRow', description: 'An object row (p), an endpoint row (p2) or an inheritance row (g)' })

/** Parsed row by row, so that every fault is reported. */
export const EditedRow = z.unknown().meta(inputSchema(PolicyRowSchema))

// rows that were written with SQL may lie outside the vocabulary
const AnyRows = z.array(AnyRow).max(MOST_ROWS)

const CommentChanges = z
  .array(
    z.object({
      row: AnyRow.describe('the row'),
      before: textOrNull(500, 'null: no comment before'),
      after: textOrNull(500, 'null: no comment any more'),
    }),
  )
  .max(2 * MOST_ROWS)
  .describe('comments that were added, changed or removed, also together with their rows')

export const Reason = z
  .string()
  .trim()
  .min(1, 'is required, for the history')
  .max(1_000)
  .describe('the reason, for the history')

const Outcome = z.object({
  effect: z.enum(EFFECTS).describe('by the object rows'),
  rule: text(64, 'rule of the deciding row'),
  endpoint: z.enum(EFFECTS).describe('by the endpoint rows'),
})

export const Question = z.object({
  role: text(32, 'role of the caller'),
  action: text(65, 'the requested action'),
  relation: z.enum(RELATIONS).describe('relation to the record'),
})

export const Cell = Question.extend(Outcome.shape)

export const CellChange = Question.extend({
  before: Outcome.describe('under the previous revision'),
  after: Outcome.describe('under the new one'),
}).meta({ id: 'DecisionChange', description: 'a changed decision' })

/** A role that is probably misspelt. */
export const LoneRole = z.object({
  role: text(32, 'the role as written'),
  nearest: textOrNull(32, 'the role that may have been meant'),
})

/** The invariants that an edit breaks. */
export const Violations = z
  .array(
    z.object({
      invariant: text(64, 'name of the invariant'),
      why: text(1_000, 'the reason given in its file'),
      file: text(100, 'the only place to change it'),
      decision: Cell.describe('the decision that breaks it'),
      row: AnyRow.nullable().describe('the deciding row; null: none matches'),
    }),
  )
  .max(MOST_ROWS)
  .describe('the broken invariants')

export const Actor = z.object({
  id: textOrNull(19, 'id of the user'),
  name: textOrNull(254, 'current address of the user, or the name of what made the edit'),
})

export const DecisionsChanged = z.array(CellChange).max(MOST_CELLS).describe('every changed decision')

/** The changes of an edit that is made or planned now. */
export const PLANNED = {
  decisions_changed: DecisionsChanged,
  added: z.array(Row).max(MOST_ROWS).describe('added rows'),
  removed: z.array(Row).max(MOST_ROWS).describe('removed rows'),
  comments: CommentChanges,
}

/** The changes of an edit, as the history shows them. */
export const CHANGED = {
  added: AnyRows.describe('added rows'),
  removed: AnyRows.describe('removed rows'),
  comments: CommentChanges,
}
