import { z } from 'zod'

import { EFFECTS } from '../domain/policy-row.js'
import { WINDOW_RULE, parseWindow } from '../domain/replay-window.js'
import { Question } from './policy-row-schemas.js'
import { Id, Instant, RequestId, Time, count, text, textOrNull } from './schemas.js'

const Verdict = z.object({
  effect: z.enum(EFFECTS).describe('the decision'),
  rule: text(64, 'rule of the deciding row, `default`, or the code of a refusal'),
})

const Replayed = Question.extend({
  layer: text(20, 'the deciding layer'),
  count: count('recorded decisions'),
  before: Verdict.describe('as recorded'),
  in_force: Verdict.nullable().describe('by the rows in force; null: the record does not say enough'),
  after: Verdict.nullable().describe('by the rows of the edit; null: the record does not say enough'),
  users: count('users behind these decisions'),
  subjects: z
    .array(
      z.object({
        id: Id.nullable().describe('id of the user; null: anonymous'),
        count: count('decisions of this user'),
      }),
    )
    .max(101)
    .describe('the users with the most decisions'),
})

export const ReplayView = z
  .object({
    window: text(10, 'as requested'),
    from: Time.describe('start of the window, inclusive'),
    to: Time.describe('end of the window, exclusive'),
    considered: count('recorded decisions by the policy'),
    changed: count('decisions with a changed effect'),
    allow_to_deny: count('changed from allow to deny'),
    deny_to_allow: count('changed from deny to allow'),
    by_other_rule: count('decisions with the same effect by another rule'),
    already: count('changed ones that the rows in force already change in the same way'),
    undetermined: count('decisions whose record does not say enough'),
    subjects: count('users with a changed decision'),
    decisions: z.array(Replayed).max(200).describe('grouped by question and answer; changed ones first'),
    not_listed: count('further groups that are not listed'),
    examples: z
      .array(
        z.object({
          time: Time.describe('time of the decision'),
          request_id: RequestId,
          subject: z
            .object({ id: Id.nullable().describe('id of the user'), role: text(32, 'role of the user at that time') })
            .describe('the caller'),
          action: text(65, 'the requested action'),
          resource: z
            .object({ type: text(32, 'such as `link`'), code: textOrNull(64, 'code of the link at that time') })
            .describe('the record concerned'),
          before: Verdict.describe('as recorded'),
          after: Verdict.nullable().describe('by the rows of the edit'),
        }),
      )
      .max(20)
      .describe('the newest decisions with a changed effect'),
  })
  .meta({ id: 'Replay', description: 'which recorded decisions would have been different' })

const Window = z
  .string()
  .max(20)
  .transform((text, context) => {
    const window = parseWindow(text)
    if (window !== null) return window
    context.addIssue({ code: 'custom', message: WINDOW_RULE })
    return z.NEVER
  })

export const Replayable = {
  replay: Window.optional().meta({
    description: 'how far back recorded decisions are replayed, such as `24h`; needs `audit:read`',
  }),
  replay_until: Instant.transform((text) => new Date(text))
    .optional()
    .meta({
      type: 'string',
      format: 'date-time',
      maxLength: 40,
      description: 'end of the replayed window; default: now',
    }),
}

interface Asked {
  readonly replay?: unknown
  readonly replay_until?: unknown
}

/** Without the window, its end would have no effect: an edit would be made that was meant to be tried. */
export const hasWindow = ({ replay, replay_until: until }: Asked): boolean =>
  replay !== undefined || until === undefined

export const NEEDS_WINDOW = { path: ['replay_until'], message: 'needs replay' }
