import { z } from 'zod'

import { PROPOSAL_STATES } from '../domain/proposal-state.js'
import { Actor, CHANGED, DecisionsChanged, MOST_ROWS, Reason, Violations } from './policy-row-schemas.js'
import { Id, PageLimit, RevisionNumber, Time, WantsCount, pageOf, text, textOrNull } from './schemas.js'

const State = z.enum(PROPOSAL_STATES)

export const ProposalView = z
  .looseObject({
    id: Id.describe('id of the proposal'),
    state: State.describe('state of the proposal'),
    actor: Actor.describe('who proposed it'),
    reason: text(1_000, 'the reason'),
    time: Time.describe('time of the proposal'),
    base: RevisionNumber.describe('the revision that it was made for'),
    ...CHANGED,
    closed: z
      .object({
        actor: Actor.describe('who closed it'),
        time: Time.describe('when it was closed'),
        reason: textOrNull(1_000, 'the reason, if given'),
      })
      .nullable()
      .describe('who approved, declined or withdrew it; null: it is open'),
    revision: RevisionNumber.nullable().describe('the revision that it became; null: none'),
  })
  .meta({ id: 'PolicyProposal', description: 'an edit of the policy that needs, or needed, somebody else’s approval' })

export const ByProposal = z.strictObject({ id: Id.describe('id of the proposal') })

export const ProposalQuery = z.strictObject({
  limit: PageLimit,
  count: WantsCount,
  cursor: Id.optional().describe('`next_cursor` of the previous page'),
  state: State.optional().describe('only proposals in this state'),
})

export const ProposalsView = pageOf(ProposalView)

const Against = z.object({ revision: RevisionNumber.describe('the revision in force') })

/** `against`: null if the proposal is closed. */
export const ShownProposal = ProposalView.extend({
  against: z
    .union([
      Against.extend({ decisions_changed: DecisionsChanged, ...CHANGED }),
      Against.extend({
        problem: z
          .looseObject({
            code: text(64, 'code of the refusal that an approval would get'),
            title: text(200, 'meaning of the code'),
            detail: textOrNull(2_000, 'details'),
            errors: z
              .array(z.object({ field: text(1_000, 'place in the edit'), message: text(10_000, 'what is wrong') }))
              .max(MOST_ROWS)
              .describe('the faults of its rows'),
            violations: Violations.optional(),
          })
          .describe('why it cannot be approved'),
      }),
    ])
    .nullable()
    .describe('what it would change now; null: it is closed'),
})

export const Approval = z.strictObject({ reason: Reason.optional() }).default({})

export const Declining = z.strictObject({ reason: Reason })
