import type { Relation } from '../domain/decision.js'
import type { EndpointRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { createInheritance } from './inheritance.js'
import type { Inheritance } from './inheritance.js'

/**
 * Rows by role and action, for analysis. Of rows that match the same requests the first two are enough: who decides,
 * and who would.
 */
export interface AnalysisIndex {
  readonly inheritance: Inheritance
  readonly rolesWithRows: ReadonlySet<string>
  /** The object rows that match a request, first to decide first (of equals the first two). */
  matching(role: string, action: string, relation: Relation): readonly ObjectRow[]
  /** Of these actions, those under which the role may be decided otherwise than `user` is. */
  actionsThatDiffer(role: string, actions: readonly string[]): Iterable<string>
  /** Null where a row decides something; otherwise the priorities of the rows that decide all that it matches. */
  shadowsOf(row: ObjectRow): readonly number[] | null
  /** Why an endpoint row lets nobody in who is not let in without it; null where it does. */
  endpointTwin(row: EndpointRow): string | null
  /** The role and every role that inherits it. */
  heirs(role: string): Iterable<string>
  /**
   * For each question about a role that some lost roles could matter to: would it be answered otherwise with `left`
   * alone?
   */
  effectDiffers(role: string, lost: readonly string[], left: ReadonlySet<string>): Iterable<boolean>
}

interface Group {
  readonly any: ObjectRow[]
  readonly own: ObjectRow[]
}

const SLICE = 2_000

export const indexForAnalysis = async (rows: readonly PolicyRow[]): Promise<AnalysisIndex> => {
  const groups = new Map<string, Map<string, Group>>()
  const endpoints = new Map<string, Set<string>>()
  const ordered = rows.flatMap((row) => (row.ptype === 'p' ? [row] : [])).sort((a, b) => a.priority - b.priority)
  for (const [i, row] of ordered.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate)
    const ofRole = entry(groups, row.role, () => new Map<string, Group>())
    const group = entry(ofRole, row.action, (): Group => ({ any: [], own: [] }))[row.reach]
    if (group.length < 2) group.push(row)
  }
  for (const row of rows) if (row.ptype === 'p2') entry(endpoints, row.role, () => new Set<string>()).add(row.action)
  const inheritance = createInheritance(rows.flatMap((row) => (row.ptype === 'g' ? [row] : [])))
  const children = new Map<string, string[]>()
  for (const [role, parents] of inheritance.parents)
    for (const parent of parents) entry(children, parent, () => []).push(role)

  const forAll = (role: string): readonly string[] =>
    role === ENGINE_ROLES.anonymous ? [ENGINE_ROLES.anyone] : [ENGINE_ROLES.user, ENGINE_ROLES.anyone]
  const namesOf = (role: string, ancestors: Iterable<string> = inheritance.ancestors(role).keys()) =>
    new Set([...ancestors, ...forAll(role)])

  const collect = (names: Iterable<string>, action: string, relation: Relation): ObjectRow[] => {
    const found: ObjectRow[] = []
    for (const name of names) {
      const ofRole = groups.get(name)
      if (ofRole === undefined) continue
      for (const group of action === '*' ? [ofRole.get('*')] : [ofRole.get(action), ofRole.get('*')]) {
        if (group === undefined) continue
        found.push(...group.any)
        if (relation === 'own') found.push(...group.own)
      }
    }
    return found.sort((a, b) => a.priority - b.priority)
  }
  const matching = (role: string, action: string, relation: Relation) => collect(namesOf(role), action, relation)
  const isLetIn = (names: Iterable<string>, action: string) =>
    [...names].some((name) => endpoints.get(name)?.has(action) || endpoints.get(name)?.has('*'))

  /** The callers whose requests are matched by the fewest rows beside one of this role. */
  const narrowestCallers = (role: string): readonly string[] =>
    role === ENGINE_ROLES.anyone ? [ENGINE_ROLES.anonymous, ENGINE_ROLES.user] : [role]

  const heirs = function* (role: string): Generator<string> {
    const reached = new Set([role])
    for (const name of reached) {
      yield name
      for (const child of children.get(name) ?? []) reached.add(child)
    }
  }

  return {
    inheritance,
    rolesWithRows: new Set([...groups.keys(), ...endpoints.keys()]),
    matching,
    heirs,
    actionsThatDiffer: (role, actions) => {
      if (role === ENGINE_ROLES.anonymous || role === ENGINE_ROLES.user) return actions
      const own = new Set<string>()
      for (const name of inheritance.ancestors(role).keys())
        for (const action of groups.get(name)?.keys() ?? []) own.add(action)
      return own.has('*') ? actions : own
    },
    shadowsOf: (row) => {
      const shadows = new Set<number>()
      for (const caller of narrowestCallers(row.role)) {
        if (caller === ENGINE_ROLES.anonymous && row.reach === 'own') continue
        const relation = caller === ENGINE_ROLES.anonymous ? 'anonymous' : row.reach === 'own' ? 'own' : 'other'
        const [first] = matching(caller, row.action, relation)
        if (first === undefined || first.priority === row.priority) return null
        shadows.add(first.priority)
      }
      return [...shadows]
    },
    endpointTwin: ({ role, action }) => {
      const reasons: string[] = []
      for (const caller of narrowestCallers(role)) {
        const twin = [...namesOf(caller)]
          .flatMap((name) => ['*', action].map((other) => [name, other] as const))
          .find(([name, other]) => (name !== role || other !== action) && endpoints.get(name)?.has(other))
        if (twin === undefined) return null
        reasons.push(`p2, ${twin[0]}, ${twin[1]}`)
      }
      return `the row ${[...new Set(reasons)].join(' and ')} lets the same callers in`
    },
    effectDiffers: function* (role, lost, left) {
      const actions = new Set<string>(['*'])
      for (const name of lost)
        for (const action of [...(groups.get(name)?.keys() ?? []), ...(endpoints.get(name) ?? [])]) actions.add(action)
      // a lost row over `*` matters to every action that a remaining row names
      if (lost.some((name) => groups.get(name)?.has('*') || endpoints.get(name)?.has('*'))) {
        for (const name of namesOf(role, left))
          for (const action of [...(groups.get(name)?.keys() ?? []), ...(endpoints.get(name) ?? [])])
            actions.add(action)
      }
      const [before, after] = [namesOf(role), namesOf(role, left)]
      for (const action of actions) {
        yield isLetIn(before, action) !== isLetIn(after, action)
        for (const relation of ['own', 'other'] as const) {
          yield (
            (collect(before, action, relation)[0]?.effect ?? 'deny') !==
            (collect(after, action, relation)[0]?.effect ?? 'deny')
          )
        }
      }
    },
  }
}

const entry = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
