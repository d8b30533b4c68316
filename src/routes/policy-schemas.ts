import { z } from 'zod'

import { ActionName, CallerRole } from './policy-explanation-schemas.js'
import {
  Actor,
  CHANGED,
  Cell,
  CellChange,
  EditedRow,
  LoneRole,
  MOST_CELLS,
  MOST_ROWS,
  PLANNED,
  Reason,
  Row,
} from './policy-row-schemas.js'
import { ProposalView } from './proposal-schemas.js'
import { NEEDS_WINDOW, ReplayView, Replayable, hasWindow } from './replay-schemas.js'
import {
  Id,
  Instant,
  PageLimit,
  RevisionNumber,
  Switch,
  Time,
  WantsCount,
  pageOf,
  revisionNumber,
  text,
} from './schemas.js'

export const ByRevision = z.strictObject({
  revision: revisionNumber().describe('number of the revision'),
})

/** Selects a revision and the format of the response. */
export const Shown = z.strictObject({
  format: z.enum(['json', 'csv']).default('json').describe('format of the response'),
  revision: revisionNumber().optional().describe('default: the one in force'),
})

export const ShownTable = Shown.extend({
  role: CallerRole.optional().describe('only decisions of this role'),
  action: ActionName.optional().describe('only decisions of this action'),
})

export const Comparison = z.strictObject({
  from: revisionNumber().describe('the first revision'),
  to: revisionNumber().describe('the second revision'),
})

export const EditView = z
  .object({
    revision: RevisionNumber.describe('the revision in force afterwards'),
    dry_run: z.boolean().optional().describe('true: nothing was changed'),
    ...PLANNED,
    warnings: z
      .array(LoneRole.extend({ message: text(500, 'message for people') }))
      .max(MOST_ROWS)
      .optional()
      .describe('in a dry run: probably misspelt roles in the new rows'),
    proposal: ProposalView.optional(),
    replay: ReplayView.optional(),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes, or what a dry run would change and the revision that stays in force.',
  })

export const RevisionView = z
  .object({
    revision: RevisionNumber.describe('number of the revision'),
    actor: Actor.describe('who made or proposed it'),
    approved_by: Actor.nullable().describe('who approved it; null: it was not proposed'),
    proposal: Id.nullable().describe('id of its proposal; null: none'),
    without_approval: z.boolean().describe('true: made at the command line, bypassing the required approval'),
    reason: text(1_000, 'the reason'),
    time: Time.describe('time of the edit'),
    model_sha256: text(64, 'SHA-256 of model.conf'),
    ...CHANGED,
  })
  .meta({ id: 'PolicyRevision', description: 'an edit of the policy' })

export const ComparisonView = z
  .object({
    from: RevisionNumber,
    to: RevisionNumber,
    ...PLANNED,
    added: z.array(Row).max(MOST_ROWS).describe('rows that only the second revision has'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that only the first revision has'),
  })
  .meta({ id: 'PolicyComparison', description: 'the differences between two revisions' })

export const PolicyView = z.object({
  revision: RevisionNumber,
  model_sha256: text(64, 'SHA-256 of model.conf'),
  rows: z.array(Row).max(MOST_ROWS).describe('in the order of evaluation'),
  needs_approval: z.boolean().describe('whether an edit needs somebody else’s approval (POLICY_APPROVALS)'),
})

export const TableView = z.object({
  revision: RevisionNumber,
  decisions: z.array(Cell).max(MOST_CELLS).describe('for each role, action and relation'),
})

export const ProposedRows = z.strictObject({
  add: z
    .array(EditedRow)
    .max(MOST_ROWS)
    .default([])
    .describe('rows to add; for an existing row, only its `comment` changes'),
  remove: z
    .array(EditedRow)
    .max(MOST_ROWS)
    .default([])
    .describe('rows to remove: each must match an existing row exactly'),
})

export const PolicyChanges = ProposedRows.extend({ reason: Reason })

export const RevisionQuery = z.strictObject({
  limit: PageLimit,
  until: Instant.optional().describe('only revisions made by this time'),
  count: WantsCount,
  cursor: revisionNumber(1, 'must be the next_cursor of a page')
    .optional()
    .describe('`next_cursor` of the previous page'),
})

export const RevisionsView = pageOf(RevisionView)

export const ShownRevision = RevisionView.extend({
  decisions_changed: z
    .array(CellChange)
    .max(MOST_CELLS)
    .nullable()
    .describe('every changed decision; null: the rows of the revision, or of the one before it, cannot be read'),
})

export const Restoration = z.strictObject({ reason: Reason.optional() }).default({})

/** The query of an edit: whether it is a dry run, and the span of past decisions to replay. */
export const Trial = z
  .strictObject({
    dry_run: Switch.describe('returns what it would change, without changing anything'),
    ...Replayable,
  })
  .refine(({ dry_run, replay }) => dry_run || replay === undefined, {
    path: ['replay'],
    message: 'needs dry_run=true: past decisions are replayed before an edit is made',
  })
  .refine(hasWindow, NEEDS_WINDOW)
