import type { CellChange, Outcome } from '../domain/decision-table.js'
import type { Deadline } from '../domain/deadline.js'
import type { Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { Effect } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import type { Snapshot } from './snapshot.js'
import { describeRelation, grantsUnder, universeOf } from './table.js'

/** The most decisions that a refusal lists; it always gives their total. */
const MOST_NAMED = 100

interface BoundEdit {
  /** the policy before the edit; it determines the maker's rights */
  readonly base: Snapshot
  readonly candidate: Snapshot
  readonly changes: readonly CellChange[]
  /** the role of the user who makes the edit */
  readonly maker: string
  readonly deadline: Deadline | undefined
}

/**
 * The refusal (403 `beyond_own_rights`) of an edit that gives any role a right its maker lacks, or takes a right from a
 * role that may do more than its maker; null if the edit does neither. It compares whole decision tables, so it does
 * not matter which rows the edit uses.
 *
 * A maker who may do everything that is not forbidden to everybody has nobody above them. They are not held back, and
 * can also lift a freeze that binds them. Throws `deadline_exceeded`.
 */
export const findBeyondOwnRights = async (edit: BoundEdit): Promise<Refusal | null> => {
  const { base, candidate, changes, maker, deadline } = edit
  const pause = pauseEvery(200, deadline)
  const maySelf = rightsOf(maker, base)
  const mayGive = grantsUnder(base, deadline)
  const isBelowMaker = (role: string) => mayGive(maker, role)

  const given: CellChange[] = []
  const taken: CellChange[] = []
  for (const change of changes) {
    await pause()
    if (givesMore(change, maySelf)) given.push(change)
    else if (takes(change)) taken.push(change)
  }
  if (given.length + taken.length === 0) return null

  const every = async <T>(items: readonly T[], holds: (item: T) => Promise<boolean> | boolean): Promise<boolean> => {
    for (const item of items) {
      await pause()
      if (!(await holds(item))) return false
    }
    return true
  }
  const { roles, actions } = universeOf(base.rows, candidate.rows)
  const mayAll = (action: string) => maySelf.call(action) && maySelf.act(action, 'own') && maySelf.act(action, 'other')
  // `*` stands for every action that no row names: without it, the maker is not above everybody
  if (mayAll('*') && ((await every(actions, mayAll)) || (await every(roles, isBelowMaker)))) return null

  const beyond = [...given]
  for (const change of taken) {
    await pause()
    if (!(await isBelowMaker(change.role))) beyond.push(change)
  }
  const [first] = beyond
  if (first === undefined) return null
  const decision = `${first.role} ${first.action} ${describeRelation(first.relation)}`
  const count = beyond.length === 1 ? '' : `, the first of ${beyond.length.toLocaleString('en')} such decisions`
  return new Refusal('beyond_own_rights', {
    detail:
      given.length > 0
        ? `The edit allows ${decision}, which the role ${maker} may not do itself${count}.`
        : `The edit takes ${decision} from a role that may do more than the role ${maker}${count}.`,
    extensions: { decisions: beyond.slice(0, MOST_NAMED), decisions_count: beyond.length },
  })
}

/** Whether the maker of an edit could not undo it, because their role may do too little afterwards. */
export const bindsItsMaker = async ({ base, candidate, changes, ...edit }: BoundEdit): Promise<boolean> => {
  const back = changes.map((change) => ({ ...change, before: change.after, after: change.before }))
  return (await findBeyondOwnRights({ ...edit, base: candidate, candidate: base, changes: back })) !== null
}

/** What a role may do: call endpoints of an action, and act on a record, by the object rows. */
const rightsOf = (role: string, { engine }: Snapshot) => ({
  call: (action: string): boolean => engine.mayCall(role, action),
  // to a caller without a user, every record is somebody else's
  act: (action: string, relation: Relation): boolean =>
    engine.decide(role, action, relation === 'own' ? 'own' : 'other').effect === 'allow',
})

const isRight = ({ effect, endpoint }: Outcome): boolean => effect === 'allow' && endpoint === 'allow'

/**
 * Whether a change gives what the maker may not do. Either part of a decision alone can prepare a right; one that
 * completes a right gives both.
 */
const givesMore = ({ action, relation, before, after }: CellChange, may: ReturnType<typeof rightsOf>): boolean => {
  const completes = isRight(after) && !isRight(before)
  const gives = (from: Effect, to: Effect) => completes || (from === 'deny' && to === 'allow')
  return (
    (gives(before.effect, after.effect) && !may.act(action, relation)) ||
    (gives(before.endpoint, after.endpoint) && !may.call(action))
  )
}

const takes = ({ before, after }: CellChange): boolean =>
  (before.effect === 'allow' && after.effect === 'deny') || (before.endpoint === 'allow' && after.endpoint === 'deny')
