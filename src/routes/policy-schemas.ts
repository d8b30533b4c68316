import { z } from 'zod'

import {
  Actor,
  CHANGED,
  Cell,
  CellChange,
  CommentChanges,
  EditedRow,
  MOST_CELLS,
  MOST_ROWS,
  Outcome,
  Reason,
  Row,
  revisionNumber,
} from './policy-row-schemas.js'
import { ProposalView } from './proposal-schemas.js'
import { ReplayView, Replayable } from './replay-schemas.js'
import { Id, Instant, PageLimit, RevisionNumber, Time, WantsCount, pageOf, text, textOrNull } from './schemas.js'

export const ByRevision = z.strictObject({
  revision: revisionNumber('must be the number of a revision').describe('its number'),
})

/** Of which revision, and in which form, an answer is. */
export const Shown = z.strictObject({
  format: z.enum(['json', 'csv']).default('json').describe('of the answer'),
  revision: revisionNumber('must be the number of a revision').optional().describe('default: the one in force'),
})

export const Comparison = z.strictObject({
  from: revisionNumber('must be the number of a revision').describe('the revision before'),
  to: revisionNumber('must be the number of a revision').describe('the revision after'),
})

export const EditView = z
  .object({
    revision: RevisionNumber.describe('that is in force after it'),
    dry_run: z.boolean().optional().describe('true: nothing was changed'),
    decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
    added: z.array(Row).max(MOST_ROWS).describe('rows that were not there before'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that are not there any more'),
    comments: CommentChanges,
    warnings: z

      .array(
        z.object({
          role: text(32, 'as it was written'),
          nearest: textOrNull(32, 'that may have been meant'),
          message: text(500, 'for people'),
        }),
      )
      .max(MOST_ROWS)
      .optional()
      .describe('in a dry run: roles of the new rows that are probably misspelt'),
    proposal: ProposalView.optional(),
    replay: ReplayView.optional(),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes, or what a dry run would change and the revision that stays in force.',
  })

export const RevisionView = z
  .looseObject({
    revision: RevisionNumber.describe('its number'),
    actor: Actor.describe('who made it, or proposed it'),
    approved_by: Actor.nullable().describe('who approved it; null: it was not proposed'),
    proposal: Id.nullable().describe('that it was; null: none'),
    without_approval: z.boolean().describe('true: made at the command line past the approval that was asked for'),
    reason: text(1_000, 'why'),
    time: Time.describe('when'),
    model_sha256: text(64, 'of model.conf'),
    ...CHANGED,
  })
  .meta({ id: 'PolicyRevision', description: 'an edit of the policy' })

export const ComparisonView = z
  .object({
    from: RevisionNumber,
    to: RevisionNumber,
    decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
    added: z.array(Row).max(MOST_ROWS).describe('rows that the first has not'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that the second has not'),
    comments: CommentChanges,
  })
  .meta({ id: 'PolicyComparison', description: 'by what two revisions differ' })

export const PolicyView = z.object({
  revision: RevisionNumber,
  model_sha256: text(64, 'of model.conf'),
  rows: z.array(Row).max(MOST_ROWS).describe('in the order in which they decide'),
  needs_approval: z.boolean().describe('whether an edit waits for somebody else (POLICY_APPROVALS)'),
})

export const TableView = z.object({
  revision: RevisionNumber,
  decisions: z.array(Cell.extend(Outcome.shape)).max(MOST_CELLS).describe('of each role, action and relation'),
})

export const ProposedRows = z.strictObject({
  add: z
    .array(EditedRow)
    .max(MOST_ROWS)
    .default([])
    .describe('rows that are to be there; with another `comment`, one that is there changes that alone'),
  remove: z
    .array(EditedRow)
    .max(MOST_ROWS)
    .default([])
    .describe('rows that are to go: what they say of a row has to fit one'),
})

export const PolicyChanges = ProposedRows.extend({ reason: Reason })

export const RevisionQuery = z.strictObject({
  limit: PageLimit,
  until: Instant.optional().describe('only revisions that were made by then'),
  count: WantsCount,
  cursor: revisionNumber('must be the next_cursor of a page').optional().describe('`next_cursor` of the page before'),
})

export const RevisionsView = pageOf(
  z.looseObject({
    revision: RevisionNumber.describe('its number'),
    reason: text(1_000, 'why'),
    time: Time.describe('when'),
  }),
)

export const ShownRevision = RevisionView.extend({
  decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
})

export const Restoration = z.strictObject({ reason: Reason.optional() }).default({})

/** The query of an edit: whether it is a dry run, and the span of past decisions to replay. */
export const Trial = z
  .strictObject({
    dry_run: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true')
      .meta({ description: 'answer what it would change, and change nothing' }),
    ...Replayable,
  })
  .refine(({ dry_run, replay }) => dry_run || replay === undefined, {
    path: ['replay'],
    message: 'needs dry_run=true: past decisions are replayed before an edit is made',
  })
