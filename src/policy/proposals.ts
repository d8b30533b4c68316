import type { Database } from '../database/database.js'
import type { Deadline } from '../domain/deadline.js'
import type { PolicyRow } from '../domain/policy-row.js'
import type { ProposalState } from '../domain/proposal-state.js'
import { Refusal, type Fault } from '../domain/refusal.js'
import type { FindUser, User } from '../domain/user.js'
import type { EditOrigin } from './commit-edit.js'
import { isEmpty, planEdit, viewPlan, type EditMaker, type EditPlan } from './edit.js'
import { countRows, emailOf, parseChanges, type HistoryRow, type StoredEdit } from './history.js'
import { findBeyondOwnRights } from './own-rights.js'
import { rowText } from './parse-row.js'
import type { Actor } from './proposal-statements.js'
import { roleOf, type Snapshot } from './snapshot.js'
import type { PolicyRules } from './store.js'

interface ProposalRow extends StoredEdit {
  readonly id: string
  readonly base: string
  readonly state: ProposalState
  readonly closed_at: Date | null
  readonly closer_id: string | null
  readonly closer: string | null
  readonly closer_email: string | null
  readonly closing_reason: string | null
  readonly revision: string | null
}

const COLUMNS =
  'id, time, actor_id, actor, reason, base, added, removed, comments, state, closed_at, closer_id, closer, ' +
  `closing_reason, revision, ${emailOf('actor_id')} as email, ${emailOf('closer_id')} as closer_email`

const toProposal = (row: ProposalRow) => ({
  id: row.id,
  state: row.state,
  actor: { id: row.actor_id, name: row.email ?? row.actor },
  reason: row.reason,
  time: row.time.toISOString(),
  base: Number(row.base),
  ...parseChanges(row),
  closed:
    row.closed_at === null
      ? null
      : {
          actor: { id: row.closer_id, name: row.closer_email ?? row.closer },
          time: row.closed_at.toISOString(),
          reason: row.closing_reason,
        },
  revision: row.revision === null ? null : Number(row.revision),
})

/** A proposed edit and its outcome. */
export type Proposal = ReturnType<typeof toProposal>

interface ProposalQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly state?: ProposalState | undefined
}

/** Proposals, newest first. `cursor` is the last one of the previous page. */
export const listProposals = async (database: Database, { limit, cursor, state }: ProposalQuery) => {
  const rows = await database.run<ProposalRow>({
    text: `select ${COLUMNS} from policy_proposals
            where ($1::bigint is null or id < $1) and ($2::text is null or state = $2) order by id desc limit $3`,
    values: [cursor ?? null, state ?? null, limit + 1],
  })
  const data = rows.slice(0, limit).map(toProposal)
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}

/** The number of proposals, up to MOST_COUNTED. */
export const countProposals = (database: Database, state?: ProposalState): Promise<number> =>
  countRows(database, 'policy_proposals where $1::text is null or state = $1', [state ?? null])

export const findProposal = async (database: Database, id: string): Promise<Proposal | null> => {
  const text = `select ${COLUMNS} from policy_proposals where id = $1`
  const [row] = await database.run<ProposalRow>({ text, values: [id] })
  return row ? toProposal(row) : null
}

/** Throws `proposal_closed` unless the proposal is open. */
export const requireOpen = ({ state, closed }: Proposal): void => {
  if (state !== 'open')
    throw new Refusal('proposal_closed', { detail: `It is ${state}, by ${nameOf(closed?.actor)}: nothing was done.` })
}

const nameOf = (actor: Actor | undefined): string => actor?.name ?? `user ${actor?.id ?? 'unknown'}`

/**
 * Plans a proposal against the rows in force, with the checks of every edit for `maker`. Throws like `planEdit`, but
 * `proposal_conflicts` if its rows or comments have changed since it was made, or if it would change nothing.
 */
export const planProposal = async (
  base: Snapshot,
  proposal: Proposal,
  rules: PolicyRules,
  maker: EditMaker,
  deadline?: Deadline,
): Promise<EditPlan> => {
  const { added, removed, comments } = proposal
  const faults: Fault[] = []
  const readable = (list: string, rows: readonly HistoryRow[]): readonly PolicyRow[] =>
    rows.flatMap((row, i) => {
      if (!('unreadable' in row)) return [row]
      faults.push({ field: `${list}.${i}`, message: 'is not a row' })
      return []
    })
  const edit = { add: readable('added', added), remove: readable('removed', removed) }
  const known = new Set([...base.rows, ...edit.add].map(rowText))
  const going = new Set(edit.remove.map(rowText))
  const said = comments.flatMap(({ row, before, after }, i) => {
    if ('unreadable' in row) return []
    const text = rowText(row)
    if (going.has(text)) return []
    const now = base.comments.get(text)?.comment ?? null
    const refuse = (message: string) => faults.push({ field: `comments.${i}`, message })
    if (!known.has(text)) refuse('the row no longer exists')
    else if (now !== before && now !== after) refuse('the comment of the row has changed')
    return [{ row, comment: after }]
  })
  if (faults.length > 0) throw conflict(proposal, faults)
  const plan = await planEdit(base, { ...edit, comments: said }, rules, maker, deadline).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'validation_failed'
      ? conflict(proposal, error.errors, error.detail)
      : error
  })
  if (isEmpty(plan))
    throw new Refusal('proposal_conflicts', { detail: 'It would change nothing: the rows in force already match it.' })
  return plan
}

const conflict = (proposal: Proposal, errors?: readonly Fault[], detail?: string): Refusal => {
  const [first] = errors ?? []
  const said = first && `The rows have changed since: ${rowAt(proposal, first.field)}: ${first.message}.`
  return new Refusal('proposal_conflicts', { detail: said ?? detail, errors })
}

/** The row of a proposal that a fault is about: nobody who reads `remove.3` counts its rows. */
const rowAt = ({ added, removed, comments }: Proposal, field: string): string => {
  const [list, place] = field.split('.')
  const rows: Readonly<Record<string, readonly HistoryRow[]>> = {
    add: added,
    remove: removed,
    comments: comments.map(({ row }) => row),
  }
  const row = rows[list ?? '']?.[Number(place)]
  return row === undefined || 'unreadable' in row ? field : rowText(row)
}

/**
 * The proposer as they are now; null if the command line made the proposal. Throws `proposer_lost_rights` unless they
 * could make the edit themselves.
 */
export const requireProposer = async (
  base: Snapshot,
  plan: EditPlan,
  { actor }: Proposal,
  findUser: FindUser,
  deadline?: Deadline,
): Promise<User | null> => {
  if (actor.id === null) return null
  const proposer = await findUser(actor.id)
  const lost = (detail: string, cause?: Refusal) =>
    new Refusal('proposer_lost_rights', { detail, cause, ...(cause && { extensions: cause.extensions }) })
  if (proposer === null) throw lost('The proposer was deleted.')
  if (proposer.suspended) throw lost('The proposer is suspended.')
  const maker = roleOf(proposer)
  if (!base.mayCall(maker, 'policy:write') || !base.can(proposer, 'policy:write', {}))
    throw lost(`The proposer now has the role ${maker}, which may not edit the policy.`)
  const { candidate, changes } = plan
  const beyond = await findBeyondOwnRights({ base, candidate, changes, maker, deadline })
  if (beyond !== null) throw lost(beyond.message, beyond)
  return proposer
}

/** Where an approved edit comes from: its proposer is its actor, and the approver stands beside. */
export const originOfApproved = (
  { id, actor, reason }: Proposal,
  approver: Actor,
  why: string | null,
): Pick<EditOrigin, 'actor' | 'reason' | 'approval'> => ({
  // a user is stored by id alone
  actor: actor.id === null ? actor : { id: actor.id, name: null },
  reason,
  approval: { proposal: id, actor: approver, reason: why },
})

/** What an open proposal would change now, or the problem that prevents it. */
export const weighProposal = async (
  base: Snapshot,
  proposal: Proposal,
  rules: PolicyRules,
  findUser: FindUser,
  deadline?: Deadline,
) => {
  const { revision } = base
  try {
    const plan = await planProposal(base, proposal, rules, 'unbounded', deadline)
    await requireProposer(base, plan, proposal, findUser, deadline)
    return { revision, ...viewPlan(plan) }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const { code, title, detail, errors, extensions } = error
    return { revision, problem: { ...extensions, code, title, detail: detail ?? null, errors: errors ?? [] } }
  }
}
