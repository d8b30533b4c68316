import type { CellChange, Outcome } from '../domain/decision-table.js'
import type { Deadline } from '../domain/deadline.js'
import type { Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
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

const PARTS = ['effect', 'endpoint'] as const
type Part = (typeof PARTS)[number]

/** The parts of a decision that turn from one answer into the other. Changing either part alone can prepare a right. */
const turned = (from: Outcome['effect'], { before, after }: CellChange): readonly Part[] =>
  PARTS.filter((part) => before[part] === from && after[part] !== from)
const gains = (change: CellChange) => turned('deny', change)
const losses = (change: CellChange) => turned('allow', change)

const isRight = ({ effect, endpoint }: Outcome): boolean => effect === 'allow' && endpoint === 'allow'
/** The parts that the maker must have: both where the edit completes a right of which the role had one already. */
const given = (change: CellChange): readonly Part[] =>
  isRight(change.after) && !isRight(change.before) ? PARTS : gains(change)

const changesBeyond = async (edit: BoundEdit): Promise<readonly CellChange[]> => {
  const { base, candidate, changes, maker, deadline } = edit
  const pause = pauseEvery(200, deadline)
  const may = (part: Part, action: string, relation: Relation): boolean =>
    part === 'endpoint'
      ? base.engine.mayCall(maker, action)
      : // to a caller without a user, every record is somebody else's
        base.engine.decide(maker, action, relation === 'own' ? 'own' : 'other').effect === 'allow'

  const beyond: CellChange[] = []
  const lost: CellChange[] = []
  for (const change of changes) {
    await pause()
    if (!given(change).every((part) => may(part, change.action, change.relation))) beyond.push(change)
    else if (losses(change).length > 0) lost.push(change)
  }
  if (beyond.length + lost.length === 0) return []

  const mayAll = (action: string) =>
    may('endpoint', action, 'other') && may('effect', action, 'own') && may('effect', action, 'other')
  const { roles, actions } = universeOf(base.rows, candidate.rows)
  const mayGive = grantsUnder(base, deadline)
  const isBelowMaker = (role: string) => mayGive(maker, role)
  const every = async <T>(items: readonly T[], holds: (item: T) => Promise<boolean> | boolean): Promise<boolean> => {
    for (const item of items) {
      await pause()
      if (!(await holds(item))) return false
    }
    return true
  }
  // `*` stands for every action that no row names: without it, the maker is not above everybody
  if (mayAll('*') && ((await every(actions, mayAll)) || (await every(roles, isBelowMaker)))) return []
  const taken: CellChange[] = []
  for (const change of lost) {
    await pause()
    if (!(await isBelowMaker(change.role))) taken.push(change)
  }
  return [...beyond, ...taken]
}
