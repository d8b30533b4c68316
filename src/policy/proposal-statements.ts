import type { Statement } from '../database/statement.js'
import type { EditPlan } from './edit.js'

/** The actor in a history: a user, by id alone, or a person at the command line, by name. */
export interface Actor {
  readonly id: string | null
  readonly name: string | null
}

interface NewProposal extends Pick<EditPlan, 'add' | 'remove' | 'commented'> {
  readonly actor: Actor
  readonly reason: string
  /** the revision that it is based on */
  readonly base: number
}

/** Stores a proposal, as the role `policy_editor`; returns `id` and `time`. */
export const insertProposal = ({ actor, reason, base, add, remove, commented }: NewProposal): Statement => ({
  text: `insert into policy_proposals (actor_id, actor, reason, base, added, removed, comments)
         values ($1, $2, $3, $4, $5, $6, $7) returning id, time`,
  values: [actor.id, actor.name, reason, base, JSON.stringify(add), JSON.stringify(remove), JSON.stringify(commented)],
})

interface Closing {
  readonly state: 'applied' | 'declined' | 'withdrawn'
  readonly actor: Actor
  readonly reason: string | null
  /** the revision that it became */
  readonly revision?: string
}

/**
 * Closes a proposal, as the role `policy_editor`; returns `time`. Fails with `proposal_closed` if it is closed already.
 */
export const closeProposal = (id: string, { state, actor, reason, revision }: Closing): Statement => ({
  text: `update policy_proposals
            set state = $2, closed_at = clock_timestamp(), closer_id = $3, closer = $4, closing_reason = $5,
                revision = $6
          where id = $1 returning closed_at as time`,
  values: [id, state, actor.id, actor.name, reason, revision ?? null],
})
