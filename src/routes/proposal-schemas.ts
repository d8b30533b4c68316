import { z } from 'zod'

import { PROPOSAL_STATES } from '../policy/proposals.js'
import { Actor, CHANGED, CellChange, MOST_CELLS, Reason } from './policy-row-schemas.js'
import { Id, PageLimit, RevisionNumber, Time, WantsCount, pageOf, text, textOrNull } from './schemas.js'

const State = z.enum(PROPOSAL_STATES)

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
