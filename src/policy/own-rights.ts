import type { CellChange, Outcome } from '../domain/decision-table.js'
import type { Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import { Refusal } from '../domain/refusal.js'
import type { Snapshot } from './snapshot.js'
import { describeRelation, mayGrant, universeOf } from './table.js'

/** Decisions that a refusal names; it says how many there are. */
const MOST_NAMED = 100

interface BoundEdit {
  /** the policy before the edit, by which the maker's rights are judged */
  readonly base: Snapshot
  readonly candidate: Snapshot
  readonly changes: readonly CellChange[]
  /** the role of who makes the edit */
  readonly maker: string
}

/**
 * The refusal (403 `beyond_own_rights`) of an edit that allows any role what its maker may not do, or takes anything
 * from a role that may do more than its maker; null where there is none. The exact difference of the decision tables is
 * judged, so it does not matter by which rows the edit does it.
 *
 * Nobody stands above a maker who may do everything that no row forbids everybody: they are not held back, and can lift
 * a freeze that binds themselves too.
 */
export const findBeyondOwnRights = async (edit: BoundEdit): Promise<Refusal | null> => {
  const beyond = await changesBeyond(edit)
  const [first] = beyond
  if (first === undefined) return null
  const { role, action, relation } = first
  const decision = `${role} ${action} ${describeRelation(relation)}`
  const count = beyond.length === 1 ? '' : `, the first of ${beyond.length.toLocaleString('en')} such decisions`
  return new Refusal('beyond_own_rights', {
    detail:
      gains(first).length > 0
        ? `The edit allows ${decision}, which the role ${edit.maker} may not do itself${count}.`
        : `The edit takes ${decision} from a role that may do more than the role ${edit.maker}${count}.`,
    extensions: { decisions: beyond.slice(0, MOST_NAMED), decisions_count: beyond.length },
  })
}

type Part = 'effect' | 'endpoint'

/** The parts of a decision that turn from one answer into the other. Either of them alone prepares a right. */
const turned = (from: Outcome['effect'], { before, after }: CellChange): readonly Part[] =>
  (['effect', 'endpoint'] as const).filter((part) => before[part] === from && after[part] !== from)
const gains = (change: CellChange) => turned('deny', change)
const losses = (change: CellChange) => turned('allow', change)

const changesBeyond = async ({ base, candidate, changes, maker }: BoundEdit): Promise<readonly CellChange[]> => {
  const pause = pauseEvery(200)
  const may = (part: Part, action: string, relation: Relation): boolean =>
    part === 'endpoint'
      ? base.engine.mayCall(maker, action)
      : // what a caller without a user does to a record is done to another's
        base.engine.decide(maker, action, relation === 'own' ? 'own' : 'other').effect === 'allow'

  const given: CellChange[] = []
  const lost: CellChange[] = []
  for (const change of changes) {
    await pause()
    if (!gains(change).every((part) => may(part, change.action, change.relation))) given.push(change)
    else if (losses(change).length > 0) lost.push(change)
  }
  if (given.length + lost.length === 0) return []

  const mayAll = (action: string) =>
    may('endpoint', action, 'other') && may('effect', action, 'own') && may('effect', action, 'other')
  const { roles, actions } = universeOf(base.rows, candidate.rows)
  const isBelow = new Map<string, boolean>()
  const isBelowMaker = (role: string): boolean => {
    const known = isBelow.get(role) ?? mayGrant(base, maker, role)
    isBelow.set(role, known)
    return known
  }
  const every = async <T>(items: readonly T[], holds: (item: T) => boolean): Promise<boolean> => {
    for (const item of items) {
      await pause()
      if (!holds(item)) return false
    }
    return true
  }
  // `*` stands for every action that no row names, so who may not do it all is not above everybody
  if (mayAll('*') && ((await every(actions, mayAll)) || (await every(roles, isBelowMaker)))) return []
  const taken: CellChange[] = []
  for (const change of lost) {
    await pause()
    if (!isBelowMaker(change.role)) taken.push(change)
  }
  return [...given, ...taken]
}
