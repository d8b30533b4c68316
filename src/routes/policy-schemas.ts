import { z } from 'zod'

import { isAction } from '../domain/action.js'
import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { isCallerRole } from '../domain/role.js'
import { WINDOW_RULE, parseWindow } from '../domain/replay-window.js'
import { inputSchema } from '../openapi/schemas.js'
import { Row as PolicyRowSchema } from '../policy/parse-row.js'
import { PROPOSAL_STATES } from '../policy/proposals.js'
import { Whos } from './rights-schemas.js'
import {
  Code,
  Id,
  Moment,
  PageLimit,
  RequestId,
  RevisionNumber,
  Time,
  WantsCount,
  count,
  pageOf,
  text,
  textOrNull,
} from './schemas.js'

/** A row as somebody wrote it, or one of the policy. */
const AnyRow = z.looseObject({ ptype: text(100, 'the section of model.conf') })

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
const AnyRows = z.array(AnyRow).max(MOST_ROWS)

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

/** Of which revision, and in which form, an answer is. */
export const Shown = z.strictObject({
  format: z.enum(['json', 'csv']).default('json').describe('of the answer'),
  revision: revisionNumber('must be the number of a revision').optional().describe('default: the one in force'),
})

export const Comparison = z.strictObject({
  from: revisionNumber('must be the number of a revision').describe('the revision before'),
  to: revisionNumber('must be the number of a revision').describe('the revision after'),
})

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

const Verdict = z.object({
  effect: z.enum(EFFECTS).describe('the answer'),
  rule: text(64, 'of the row that decided, `default`, or the code of a refusal'),
})

const Replayed = z.object({
  role: text(32, 'whose decision it was'),
  action: text(65, 'what was asked for'),
  relation: z.enum(RELATIONS).describe('whose record it was about'),
  layer: text(20, 'that decided'),
  count: count('how many were recorded'),
  before: Verdict.describe('as it was recorded'),
  in_force: Verdict.nullable().describe('by the rows in force; null: the record does not say enough'),
  after: Verdict.nullable().describe('by the rows of the edit; null: the record does not say enough'),
  users: count('of whom they are'),
  subjects: z
    .array(z.object({ id: Id.nullable().describe('of the user; null: nobody'), count: count('of decisions') }))
    .max(101)
    .describe('those with the most'),
})

export const ReplayView = z
  .object({
    window: text(10, 'as it was asked for'),
    from: Time.describe('its first moment'),
    to: Time.describe('the first moment after it'),
    considered: count('recorded decisions of the policy'),
    changed: count('of them that would get the other answer'),
    allow_to_deny: count('of the changed'),
    deny_to_allow: count('of the changed'),
    by_other_rule: count('of them that would get the same answer by another rule'),
    already: count('of the changed that the rows in force answer as the edit would'),
    undetermined: count('of them about which the record does not say enough'),
    subjects: count('users who would get the other answer'),
    decisions: z.array(Replayed).max(200).describe('grouped by question and answer: those that turn come first'),
    not_listed: count('groups beside these'),
    examples: z
      .array(
        z.object({
          time: Time.describe('when it was decided'),
          request_id: RequestId,
          subject: z
            .object({ id: Id.nullable().describe('of the user'), role: text(32, 'that they had then') })
            .describe('who asked'),
          action: text(65, 'what was asked for'),
          resource: z
            .object({ type: text(32, 'such as `link`'), code: textOrNull(64, 'of a link, at that time') })
            .describe('what it was about'),
          before: Verdict.describe('as it was recorded'),
          after: Verdict.nullable().describe('by the rows of the edit'),
        }),
      )
      .max(20)
      .describe('the newest that would get the other answer'),
  })
  .meta({ id: 'Replay', description: 'which recorded decisions would have fallen otherwise' })
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
    replay: ReplayView.optional(),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes, or what a dry run would change and the revision that stays in force.',
  })

export const PreviewView = z
  .object({
    revision: RevisionNumber.describe('with which the edit is compared'),
    decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
    added: z.array(Row).max(MOST_ROWS).describe('rows that were not there before'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that are not there any more'),
    comments: CommentChanges,
    objections: z
      .array(
        z.looseObject({
          code: text(64, 'of the refusal'),
          status: z.int().min(400).max(599).describe('of the refusal'),
          detail: text(4_000, 'for people'),
          violations: z
            .array(
              z.object({
                invariant: text(64, 'its name'),
                why: text(1_000, 'as its file says'),
                file: text(100, 'that alone can change it'),
                decision: Cell.extend(Outcome.shape).describe('that breaks it'),
                row: AnyRow.nullable().describe('that makes the decision; null: none matches'),
              }),
            )
            .max(MOST_ROWS)
            .optional()
            .describe('the invariants that are broken'),
        }),
      )
      .max(10)
      .describe('what would refuse it, if this caller made it; the first is what they would be answered'),
    findings: z
      .array(
        z.looseObject({
          kind: text(20, 'such as `unreachable`'),
          row: AnyRow.describe('that it is about'),
          message: text(1_000, 'for people'),
        }),
      )
      .max(MOST_ROWS)
      .describe('what can be said of rows that could not be said before the edit'),
    expectations: z
      .object({
        asked: count('questions'),
        unmet: z
          .array(
            Cell.extend({
              expected: z.enum(EFFECTS).describe('by the file'),
              effect: z.enum(EFFECTS).describe('by the rows'),
              rule: text(64, 'of the row that decides'),
              row: AnyRow.nullable().describe('that decides; null: none matches'),
              why: text(1_000, 'as the file says'),
              from: text(200, 'file and line'),
              is_new: z.boolean().describe('whether the rows in force answer as expected'),
              message: text(2_000, 'for people'),
            }),
          )
          .max(MOST_ROWS)
          .describe('with another answer than the expected one'),
      })
      .describe('the questions of policies/allow.csv and deny.csv: they warn, and refuse nothing'),
    replay: ReplayView.optional(),
  })
  .meta({ id: 'PolicyPreview', description: 'what an edit would change, and what speaks against it' })

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

export const PolicyQuestion = z
  .strictObject({
    user: Id.optional().describe('who asks; needs `policy:evaluate`'),
    link: Code.optional().describe('what it is about; needs `policy:evaluate`'),
    role: z
      .string()
      .refine(isCallerRole, 'must be a role that a caller can have')
      .optional()
      .meta({ maxLength: 32, description: 'in place of a user' }),
    action: z
      .string()
      .refine(isAction, 'must be an action, such as link:delete')
      .meta({ maxLength: 65, description: 'what is asked for', examples: ['link:delete'] }),
    relation: z.enum(RELATIONS).optional().describe('whose record it is, in place of a link; default: another’s'),
    revision: revisionNumber('must be the number of a revision').optional().describe('default: the one in force'),
  })
  .refine(({ role, relation }) => relation === undefined || (role === 'anonymous') === (relation === 'anonymous'), {
    path: ['relation'],
    message: 'is anonymous for the role anonymous, and for no other',
  })

const Considered = z.object({
  row: AnyRow.describe('that is read'),
  outcome: z.enum(['does_not_match', 'decides', 'not_reached']).describe('what becomes of it'),
  why: textOrNull(200, 'it does not match'),
})

const Judged = {
  considered: z.array(Considered).max(200).describe('in the order in which they are read'),
  not_listed: count('rows beside these'),
}

export const ExplanationView = z
  .object({
    user: z
      .object({
        id: Id.describe('of the user'),
        role: text(32, 'that they have'),
        suspended: z.boolean().describe('true: they count as nobody'),
      })
      .nullable()
      .describe('who was asked about'),
    link: z
      .object({ code: Code, owner_id: Id.nullable().describe('whose it is; null: nobody’s') })
      .nullable()
      .describe('what was asked about'),
    explanation: z
      .object({
        revision: RevisionNumber,
        role: text(32, 'by which it is decided'),
        inherits: z.array(text(32, 'a role')).max(1_000).describe('the other roles whose rows count for it'),
        action: text(65, 'what is asked for'),
        relation: z.enum(RELATIONS).describe('whose record it is'),
        layer: z.enum(['endpoint', 'object']).describe('that decides'),
        effect: z.enum(EFFECTS).describe('the answer'),
        endpoint: z
          .object({ effect: z.enum(EFFECTS).describe('its answer'), ...Judged })
          .describe('may the role call it at all?'),
        object: z
          .object({
            effect: z.enum(EFFECTS).describe('its answer'),
            rule: text(64, 'of the row that decides'),
            row: AnyRow.nullable().describe('that decides; null: none does, and the model denies'),
            ...Judged,
          })
          .describe('what do the rows say of this record?'),
      })
      .describe('why it is answered so'),
    who_may: Whos.describe('who may do it: to this link, or to another’s'),
  })
  .meta({ id: 'PolicyExplanation', description: 'why a question is answered as it is, under one revision' })

export const PolicyView = z.object({
  revision: RevisionNumber,
  model_sha256: text(64, 'of model.conf'),
  rows: z.array(Row).max(MOST_ROWS).describe('in the order in which they decide'),
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
  until: Moment.optional().describe('only revisions that were made by then'),
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

const Replayable = {
  replay: Window.optional().meta({
    description: 'the past whose decisions are made once more, such as `24h`; needs `audit:read`',
  }),
  replay_until: Moment.transform((text) => new Date(text))
    .optional()
    .meta({ type: 'string', format: 'date-time', maxLength: 40, description: 'where that past ends; default: now' }),
}

export const PreviewQuery = z.strictObject(Replayable)

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
