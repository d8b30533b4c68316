import { isAction } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Cell } from '../domain/decision-table.js'
import { isRelation, type Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { ObjectRow } from '../domain/policy-row.js'
import { ENGINE_ROLES, isCallerRole } from '../domain/role.js'
import { parseCsv } from './csv.js'
import { fault } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import type { Snapshot } from './snapshot.js'
import { cellsFor, describeRelation, relationsOf, universeOf, type Universe } from './table.js'

export const INVARIANTS_FILE = 'policies/invariants.csv'

/** One line of policies/invariants.csv: a rule that every revision must keep. */
export interface Invariant {
  /** `never`: the rows must not allow it. `always`: object rows and endpoint rows must both allow it. */
  readonly kind: 'never' | 'always'
  readonly name: string
  readonly roles: Pattern
  readonly actions: Pattern
  readonly relation: Relation | '*'
  readonly why: string
}

/** Selects names: `x` selects x, even if no row names it; `!x` selects all others, `*` all. */
type Pattern = (names: readonly string[]) => readonly string[]

/** A broken invariant, with the first decision that breaks it and the deciding row. */
export interface Violation {
  readonly invariant: Invariant
  readonly cell: Cell
  readonly row: ObjectRow | null
}

const parsePattern = (text: string, isName: (name: string) => boolean): Pattern | null => {
  if (text === '*') return (names) => names
  const name = text.replace(/^!/, '')
  if (!isName(name)) return null
  return text === name ? () => [name] : (names) => names.filter((each) => each !== name)
}

/** Parses policies/invariants.csv. Throws PolicyError naming each line with a fault: no invariant is skipped. */
export const parseInvariants = (text: string): readonly Invariant[] => {
  // editors truncate a file before they write it: no edit of the policy may slip through at that moment
  if (text === '') throw new PolicyError(`${INVARIANTS_FILE} is empty: if there are none, a comment has to say so`)
  return parseCsv(INVARIANTS_FILE, text, ([kind, name = '', role = '', action = '', relation, ...why]) => {
    const roles = parsePattern(role, isCallerRole)
    const actions = parsePattern(action, isAction)
    if (kind !== 'never' && kind !== 'always') return fault('kind must be never or always')
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) return fault('name must be of [a-z0-9-]')
    if (!roles) return fault('role must be a role that a caller can have, !role or *')
    if (!actions) return fault('action must be an action, !action or *')
    if (relation !== '*' && !isRelation(relation)) return fault('relation must be anonymous, own, other or *')
    if (isCallerRole(role) && relation !== '*' && !relationsOf(role).includes(relation))
      return fault(`relation must be ${relationsOf(role).join(', ')} or *: the role ${role} has no other`)
    if (role === `!${ENGINE_ROLES.anonymous}` && relation === 'anonymous')
      return fault('relation must be own, other or *: a role other than anonymous has no anonymous relation')
    return { ok: true, value: { kind, name, roles, actions, relation, why: why.join(', ') } }
  })
}

/**
 * Checks every decision that an invariant covers. Returns the first violation of each broken invariant. Throws
 * `deadline_exceeded`.
 */
export const findViolations = async (
  snapshot: Snapshot,
  invariants: readonly Invariant[],
  deadline?: Deadline,
): Promise<readonly Violation[]> => {
  const universe = universeOf(snapshot.rows)
  const found: Violation[] = []
  for (const invariant of invariants) {
    const violation = await findViolation(snapshot, invariant, universe, deadline)
    if (violation) found.push(violation)
  }
  return found
}

const findViolation = async (
  { engine }: Snapshot,
  invariant: Invariant,
  universe: Universe,
  deadline: Deadline | undefined,
): Promise<Violation | null> => {
  const pause = pauseEvery(200, deadline)
  const { kind, roles, actions, relation: covered } = invariant
  for (const role of roles(universe.roles)) {
    const relations = relationsOf(role).filter((relation) => covered === '*' || covered === relation)
    for (const action of actions(universe.actions)) {
      await pause()
      for (const relation of relations) {
        const { effect, row } = engine.decide(role, action, relation)
        const isKept = kind === 'never' ? effect === 'deny' : effect === 'allow' && engine.mayCall(role, action)
        const cell = isKept ? undefined : cellsFor(engine, role, action).find((each) => each.relation === relation)
        if (cell) return { invariant, cell, row }
      }
    }
  }
  return null
}

/** A violation as JSON: in a problem's `violations`, and in `linkgate policy check --json`. */
export const viewViolation = ({ invariant: { name, why }, cell, row }: Violation) => ({
  invariant: name,
  why,
  file: INVARIANTS_FILE,
  decision: cell,
  row,
})

/** A violation in one line: which invariant, which decision, by which row, and which file to change. */
export const describeViolation = ({ invariant, cell, row }: Violation): string => {
  const { role, action, relation, effect } = cell
  const isShut = invariant.kind === 'always' && effect === 'allow'
  const outcome = isShut ? 'refused' : effect === 'allow' ? 'allowed' : 'denied'
  const decider = row === null ? 'no row matches' : `row ${row.priority} (${row.rule}) decides`
  const by = isShut ? 'no endpoint row lets it through' : decider
  return (
    `invariant ${invariant.name} (${invariant.why}): ` +
    `${role} would be ${outcome} ${action} ${describeRelation(relation)}; ${by}. ` +
    `Invariants change only in ${INVARIANTS_FILE}`
  )
}
