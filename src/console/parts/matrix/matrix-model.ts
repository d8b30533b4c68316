import type { Cell, CellChange, Outcome, Question } from '../../../domain/decision-table.js'
import type { Relation } from '../../../domain/decision.js'
import type { Effect } from '../../../domain/policy-row.js'
import { ENGINE_ROLES } from '../../../domain/role.js'
import { inOrder } from '../in-order.js'

export interface Answer {
  /** its relation; `own` if own and others' are alike */
  readonly relation: Relation
  /** how many columns it covers: two if own and others' are alike and the role has two */
  readonly span: 1 | 2
  readonly now: Outcome
  /** null if nothing changes */
  readonly before: Outcome | null
}

export interface RoleColumns {
  readonly role: string
  /** only one if own and others' never differ */
  readonly relations: readonly Relation[]
}

export interface MatrixModel {
  readonly roles: readonly RoleColumns[]
  readonly actions: readonly string[]
  readonly at: (role: string, action: string) => readonly Answer[]
  readonly isChanged: (role: string, action: string) => boolean
}

/** Stands for every role that no row names, and is the last. */
export const OTHER_ROLE = ENGINE_ROLES.user
/** Stands for every action that no row names, and is the last. */
export const OTHER_ACTION = '*'

export const isSame = (a: Outcome, b: Outcome): boolean =>
  a.effect === b.effect && a.rule === b.rule && a.endpoint === b.endpoint

const outcomeIn = ({ effect, rule, endpoint }: Outcome): Outcome => ({ effect, rule, endpoint })

/**
 * The names, sorted, then those that only the changes contain. The first name stays first (`anonymous`, or a person's
 * role before their tokens), and `last` is last.
 */
const withNew = (names: Iterable<string>, fresh: Iterable<string>, last: string): readonly string[] => {
  const known = new Set(names)
  const named = [...known].filter((name) => name !== last)
  const more = [...new Set(fresh)].filter((name) => !known.has(name))
  return [...named.slice(0, 1), ...inOrder(named.slice(1)), ...inOrder(more), ...(known.has(last) ? [last] : [])]
}

type ByRelation = Map<Relation, Pick<Answer, 'now' | 'before'>>

/**
 * The decision table by roles and actions, with the changes of an edit. A role or an action that only the edit names is
 * decided like any unnamed one, apart from its changes.
 */
export const buildMatrix = (cells: readonly Cell[], changes: readonly CellChange[] = []): MatrixModel => {
  const byRole = new Map<string, Map<string, ByRelation>>()
  const put = ({ role, action, relation }: Question, now: Outcome, before: Outcome | null) => {
    const ofRole = byRole.get(role) ?? new Map()
    const ofAction = ofRole.get(action) ?? new Map()
    byRole.set(role, ofRole.set(action, ofAction.set(relation, { now, before })))
  }
  for (const cell of cells) put(cell, outcomeIn(cell), null)
  const changed = new Set(changes.map(({ role, action }) => `${role} ${action}`))
  for (const change of changes) put(change, change.after, change.before)

  const find = (role: string, action: string): ByRelation => {
    const whole: ByRelation = new Map()
    // the role's own answers come last, so they override those of any other role
    for (const name of [OTHER_ROLE, role])
      for (const each of [OTHER_ACTION, action])
        for (const [relation, { now, before }] of byRole.get(name)?.get(each) ?? [])
          whole.set(relation, { now, before: name === role && each === action ? before : null })
    const alone = byRole.get(role)?.get(action)
    return alone !== undefined && (alone.size === 2 || alone.has('anonymous')) ? alone : whole
  }

  const cellsOf = (role: string, action: string): readonly Answer[] => {
    const answers = find(role, action)
    const [anonymous, own, other] = [answers.get('anonymous'), answers.get('own'), answers.get('other')]
    if (anonymous !== undefined) return [{ relation: 'anonymous', span: 1, ...anonymous }]
    if (own === undefined || other === undefined) return []
    const isAlike = isSame(own.now, other.now) && isSame(own.before ?? own.now, other.before ?? other.now)
    return isAlike
      ? [{ relation: 'own', span: 2, ...own }]
      : [
          { relation: 'own', span: 1, ...own },
          { relation: 'other', span: 1, ...other },
        ]
  }

  const actions = withNew(
    cells.map(({ action }) => action),
    changes.map(({ action }) => action),
    OTHER_ACTION,
  )
  const roles = withNew(
    cells.map(({ role }) => role),
    changes.map(({ role }) => role),
    OTHER_ROLE,
  ).map((role): RoleColumns => {
    const each = actions.map((action) => cellsOf(role, action))
    if (each.some(([first]) => first?.relation === 'anonymous')) return { role, relations: ['anonymous'] }
    return { role, relations: each.some((answers) => answers.length === 2) ? ['own', 'other'] : ['own'] }
  })
  const widthOf = new Map(roles.map(({ role, relations }) => [role, relations.length]))
  return {
    roles,
    actions,
    at: (role, action) =>
      cellsOf(role, action).map((answer) => (widthOf.get(role) === 1 ? { ...answer, span: 1 } : answer)),
    isChanged: (role, action) => changed.has(`${role} ${action}`),
  }
}

/** A caller's result: the rows count only if the endpoint lets the role in. */
export const answerOf = ({
  effect,
  rule,
  endpoint,
}: Outcome): { readonly effect: Effect; readonly by: string | null } =>
  effect === 'allow' && endpoint === 'deny' ? { effect: 'deny', by: null } : { effect, by: rule }
