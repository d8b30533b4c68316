import { z } from 'zod'

import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { WINDOW_RULE, parseWindow } from '../domain/replay-window.js'
import { Id, Instant, RequestId, Time, count, text, textOrNull } from './schemas.js'

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
    description: 'the past whose decisions are made once more, such as `24h`; needs `audit:read`',
  }),
  replay_until: Instant.transform((text) => new Date(text))
    .optional()
    .meta({ type: 'string', format: 'date-time', maxLength: 40, description: 'where that past ends; default: now' }),
}
