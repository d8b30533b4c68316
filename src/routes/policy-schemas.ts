import { z } from 'zod'

import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { WINDOW_RULE, parseWindow } from '../domain/replay-window.js'
import { inputSchema } from '../openapi/schemas.js'
import { Row as PolicyRowSchema } from '../policy/parse-row.js'
import { PROPOSAL_STATES } from '../policy/proposals.js'
import { Id, PageLimit, RevisionNumber, Time, WantsCount, pageOf, text, textOrNull } from './schemas.js'

/** What a policy can have: far more than anybody edits. */
const MOST_ROWS = 100_000

const MOST_CELLS = 1_000_000

const Row = z
  .looseObject({
    ptype: z.enum(['p', 'p2', 'g']).describe('the section of model.conf that it belongs to'),
    comment: text(500, 'what admins say of it, in `GET /policy`').optional(),
  })
  .meta({ id: 'PolicyRow', description: 'An object row (p), an endpoint row (p2) or an inheritance row (g)' })

/** Parsed row by row, so that every fault is named. */
const EditedRow = z.unknown().meta(inputSchema(PolicyRowSchema))

// rows that were written with SQL may lie outside the vocabulary
const AnyRows = z.array(z.looseObject({ ptype: text(100, 'the section of model.conf') })).max(MOST_ROWS)

const CommentChanges = z
  .array(
    z.object({
      row: z.looseObject({ ptype: text(100, 'the section of model.conf') }).describe('that it is about'),
      before: textOrNull(500, 'null: there was none'),
      after: textOrNull(500, 'null: there is none any more'),
    }),
  )
  .max(2 * MOST_ROWS)
  .describe('comments of rows that came, changed or went, with their rows too')

const Reason = z.string().trim().min(1, 'is required: the history says why').max(1_000).describe('why, for the history')

const revisionNumber = (fault: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, fault)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: 999_999_999_999_999 })

export const ByRevision = z.strictObject({
  revision: revisionNumber('must be the number of a revision').describe('its number'),
})

export const Format = z.strictObject({ format: z.enum(['json', 'csv']).default('json').describe('of the answer') })

const Outcome = z.object({
  effect: z.enum(EFFECTS).describe('of the object rows'),
  rule: text(64, 'of the row that decides'),
  endpoint: z.enum(EFFECTS).describe('of the endpoint rows'),
})

const Cell = z.object({
  role: text(32, 'whose decision it is'),
  action: text(65, 'what is asked for'),
  relation: z.enum(RELATIONS).describe('whose record it is about'),
})

const CellChange = Cell.extend({
  before: Outcome.describe('under the revision before'),
  after: Outcome.describe('under the new one'),
}).meta({ id: 'DecisionChange', description: 'a decision that falls otherwise' })

const Actor = z.object({
  id: textOrNull(19, 'of the user'),
  name: textOrNull(254, 'their address as it is today, or what made the edit'),
})

const State = z.enum(PROPOSAL_STATES)

/** What an edit changes, as the history has it. */
const CHANGED = {
  added: AnyRows.describe('rows that were not there before'),
  removed: AnyRows.describe('rows that are not there any more'),
  comments: CommentChanges,
}

export const ProposalView = z
  .looseObject({
    id: Id.describe('of the proposal'),
    state: State.describe('what became of it'),
    actor: Actor.describe('who proposed it'),
    reason: text(1_000, 'why'),
    time: Time.describe('when'),
    base: RevisionNumber.describe('that it was made for'),
    ...CHANGED,
    closed: z
      .object({
        actor: Actor.describe('who'),
        time: Time.describe('when'),
        reason: textOrNull(1_000, 'why, where they said so'),
      })
      .nullable()
      .describe('who approved, declined or withdrew it; null: nobody yet'),
    revision: RevisionNumber.nullable().describe('that it became; null: none'),
  })
  .meta({ id: 'PolicyProposal', description: 'an edit of the policy that waits for somebody else, or waited' })

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
    replay: z.looseObject({}).optional().describe('which recorded decisions would have fallen otherwise'),
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

export const PolicyView = z.object({
  revision: RevisionNumber,
  model_sha256: text(64, 'of model.conf'),
  rows: z.array(Row).max(MOST_ROWS).describe('in the order in which they decide'),
})

export const TableView = z.object({
  revision: RevisionNumber,
  decisions: z.array(Cell.extend(Outcome.shape)).max(MOST_CELLS).describe('of each role, action and relation'),
})

export const PolicyChanges = z.strictObject({
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
  reason: Reason,
})

export const RevisionQuery = z.strictObject({
  limit: PageLimit,
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

export const ByProposal = z.strictObject({ id: Id.describe('of the proposal') })

export const ProposalQuery = z.strictObject({
  limit: PageLimit,
  count: WantsCount,
  cursor: Id.optional().describe('`next_cursor` of the page before'),
  state: State.optional().describe('those that are in it alone'),
})

export const ProposalsView = pageOf(ProposalView)

/** `against`: null of one that is closed. */
export const ShownProposal = ProposalView.extend({
  against: z
    .union([
      z.object({
        revision: RevisionNumber.describe('in force'),
        decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
        ...CHANGED,
      }),
      z.object({
        revision: RevisionNumber.describe('in force'),
        problem: z
          .looseObject({
            code: text(64, 'of the refusal that an approval gets'),
            title: text(200, 'what it means'),
            detail: textOrNull(2_000, 'what it is about'),
          })
          .describe('what stands in its way'),
      }),
    ])
    .nullable()
    .describe('what it would do to the rows in force now; null: it is closed'),
})

export const Approval = z.strictObject({ reason: Reason.optional() }).default({})

export const Declining = z.strictObject({ reason: Reason })

export const Restoration = z.strictObject({ reason: Reason.optional() }).default({})

const Window = z
  .string()
  .max(20)
  .transform((text, context) => {
    const window = parseWindow(text)
    if (window !== null) return window
    context.addIssue({ code: 'custom', message: WINDOW_RULE })
    return z.NEVER
  })

/** The query of an edit: whether it is a dry run, and the span of past decisions to replay. */
export const Trial = z
  .strictObject({
    dry_run: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true')
      .meta({ description: 'answer what it would change, and change nothing' }),
    replay: Window.optional().meta({
      description: 'of a dry run: the past whose decisions are made once more, such as `24h`; needs `audit:read`',
    }),
  })
  .refine(({ dry_run, replay }) => dry_run || replay === undefined, {
    path: ['replay'],
    message: 'needs dry_run=true: past decisions are replayed before an edit is made',
  })
