import { ACTIONS } from '../domain/action.js'
import type { Decision, Relation } from '../domain/decision.js'
import type { Effect, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Snapshot } from './snapshot.js'

/** One cell of the decision table: what `can()` answers, and whether the role may call the endpoint at all. */
export interface Cell {
  readonly role: string
  readonly action: string
  readonly relation: Relation
  readonly effect: Effect
  readonly rule: string
  readonly endpoint: Effect
}

export type Outcome = Pick<Cell, 'effect' | 'rule' | 'endpoint'>

export interface CellChange extends Pick<Cell, 'role' | 'action' | 'relation'> {
  readonly before: Outcome
  readonly after: Outcome
}

/**
 * Everything that decisions can differ by, as finite lists. The role `user` stands for every role that no row names, the
 * action `*` for every action that none names: Casbin answers for them as it does for any such name, so the table is exact.
 */
export interface Universe { readonly roles: readonly string[]; readonly actions: readonly string[] }

const DEFAULT_ROLES = ['admin', 'editor', 'viewer'] as const

/** The universe of some sets of rows together (two revisions that are compared, say). */
export const universeOf = (...sets: readonly (readonly PolicyRow[])[]): Universe => {
  const roles = new Set<string>([...DEFAULT_ROLES])
  const actions = new Set<string>(ACTIONS)
  for (const rows of sets) {
    for (const row of rows) {
      roles.add(row.role)
      if (row.ptype === 'g') roles.add(row.inherits)
      else actions.add(row.action)
    }
  }
  for (const name of Object.values(ENGINE_ROLES)) roles.delete(name)
  actions.delete('*')
  return { roles: [ENGINE_ROLES.anonymous, ...[...roles].sort(), ENGINE_ROLES.user], actions: [...[...actions].sort(), '*'] }
}

/** How many questions are asked before the event loop gets its turn again. */
const SLICE = 200

const relationsOf = (role: string): readonly Relation[] => (role === ENGINE_ROLES.anonymous ? ['anonymous'] : ['own', 'other'])

/** Every cell of the universe under a snapshot, role by role. */
export async function* cellsOf(snapshot: Snapshot, { roles, actions }: Universe): AsyncGenerator<Cell> {
  let asked = 0
  for (const role of roles) {
    for (const action of actions) {
      if (++asked % SLICE === 0) await new Promise(setImmediate)
      for (const relation of relationsOf(role)) yield cellOf(snapshot, role, action, relation)
    }
  }
}

export const cellOf = (snapshot: Snapshot, role: string, action: string, relation: Relation): Cell => {
  const { effect, rule }: Decision = snapshot.decideFor(role, action, relation)
  return { role, action, relation, effect, rule, endpoint: snapshot.mayCall(role, action) ? 'allow' : 'deny' }
}

/** The whole decision table of a snapshot. */
export const decisionTable = async (snapshot: Snapshot): Promise<readonly Cell[]> => {
  const cells: Cell[] = []
  for await (const cell of cellsOf(snapshot, universeOf(snapshot.rows))) cells.push(cell)
  return cells
}

const outcome = ({ effect, rule, endpoint }: Cell): Outcome => ({ effect, rule, endpoint })

/**
 * Every decision that differs between two snapshots, with the rule before and after. Only cells that a changed row can
 * reach are asked; that these are all of them is held against the whole table in the tests.
 */
export const decisionChanges = async (before: Snapshot, after: Snapshot, changed: readonly PolicyRow[]): Promise<readonly CellChange[]> => {
  const universe = narrow(universeOf(before.rows, after.rows), [before, after], changed)
  const changes: CellChange[] = []
  for await (const cell of cellsOf(after, universe)) {
    const was = cellOf(before, cell.role, cell.action, cell.relation)
    if (was.effect !== cell.effect || was.rule !== cell.rule || was.endpoint !== cell.endpoint) {
      changes.push({ role: cell.role, action: cell.action, relation: cell.relation, before: outcome(was), after: outcome(cell) })
    }
  }
  return changes
}

/** The part of a universe that some rows can matter to: the roles that have them, by themselves or by inheritance, and their actions. */
const narrow = ({ roles, actions }: Universe, snapshots: readonly Snapshot[], changed: readonly PolicyRow[]): Universe => {
  const named = new Set(changed.map((row) => row.role))
  const everybody = named.has(ENGINE_ROLES.anyone) || named.has(ENGINE_ROLES.user)
  const reached = (role: string) => everybody || snapshots.some(({ engine }) => [...engine.inheritance.ancestors(role).keys()].some((name) => named.has(name)))
  const touched = new Set<string>(changed.map((row) => (row.ptype === 'g' ? '*' : row.action)))
  return { roles: roles.filter(reached), actions: touched.has('*') ? actions : actions.filter((action) => touched.has(action)) }
}
