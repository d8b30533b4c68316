import { ACTIONS } from '../domain/action.js'
import type { Relation } from '../domain/decision.js'
import type { Effect, PolicyRow } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import { ENGINE_ROLES } from '../domain/role.js'
import type { Engine } from './engine.js'
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
 * Everything that decisions can differ by, as finite lists. The role `user` stands for every role that no row names,
 * the action `*` for every action that none names: Casbin answers for them as it does for any such name, so the table
 * is exact.
 */
export interface Universe {
  readonly roles: readonly string[]
  readonly actions: readonly string[]
}

const DEFAULT_ROLES = ['admin', 'editor', 'viewer'] as const

/** The universe of some sets of rows together (two revisions that are compared, say). */
export const universeOf = (...sets: readonly (readonly PolicyRow[])[]): Universe => {
  const roles = new Set<string>(DEFAULT_ROLES)
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
  return {
    roles: [ENGINE_ROLES.anonymous, ...[...roles].sort(), ENGINE_ROLES.user],
    actions: [...[...actions].sort(), '*'],
  }
}

/** Roles, each with the actions to ask for it. */
export type Questions = Iterable<readonly [role: string, actions: Iterable<string>]>

export const questionsOf = ({ roles, actions }: Universe): Questions => roles.map((role) => [role, actions] as const)

/** How many questions are asked before the event loop gets its turn again. */
const SLICE = 200

export const relationsOf = (role: string): readonly Relation[] =>
  role === ENGINE_ROLES.anonymous ? ['anonymous'] : ['own', 'other']

/**
 * Every cell of some questions under a snapshot, role by role. Asks the engine itself, and leaves the snapshot's memory
 * to callers.
 */
export async function* cellsOf({ engine }: Snapshot, questions: Questions): AsyncGenerator<Cell> {
  let asked = 0
  for (const [role, actions] of questions) {
    for (const action of actions) {
      if (++asked % SLICE === 0) await new Promise(setImmediate)
      yield* cellsFor(engine, role, action)
    }
  }
}

/** One cell, asked of the engine. */
export const cellFor = (
  engine: Engine,
  role: string,
  action: string,
  relation: Relation,
  endpoint = engine.askEndpoint(role, action),
): Cell => {
  const { allowed, row } = engine.ask(role, action, relation)
  return {
    role,
    action,
    relation,
    effect: allowed ? 'allow' : 'deny',
    rule: row?.rule ?? 'default',
    endpoint: endpoint ? 'allow' : 'deny',
  }
}

const cellsFor = (engine: Engine, role: string, action: string): readonly Cell[] => {
  const endpoint = engine.askEndpoint(role, action)
  return relationsOf(role).map((relation) => cellFor(engine, role, action, relation, endpoint))
}

/** Decisions that one answer holds at the most: beyond it an answer would take the memory that the service needs. */
const MOST_DECISIONS = 500_000

/**
 * The whole decision table of a snapshot, or that of some of its roles and actions. Throws `validation_failed` where it
 * has more than half a million decisions: thousands of roles times thousands of actions.
 */
export const decisionTable = async (
  snapshot: Snapshot,
  only: { readonly role?: string; readonly action?: string } = {},
): Promise<readonly Cell[]> => {
  const universe = universeOf(snapshot.rows)
  const roles = only.role === undefined ? universe.roles : [only.role]
  const actions = only.action === undefined ? universe.actions : [only.action]
  const count = roles.length * actions.length * 2
  if (count > MOST_DECISIONS) {
    throw new Refusal('validation_failed', {
      detail: `The table has ${count.toLocaleString('en')} decisions, more than the ${MOST_DECISIONS.toLocaleString('en')} that one answer holds; ask for one role or one action.`,
    })
  }
  const cells: Cell[] = []
  for await (const cell of cellsOf(snapshot, questionsOf({ roles, actions }))) cells.push(cell)
  return cells
}

const outcome = ({ effect, rule, endpoint }: Cell): Outcome => ({ effect, rule, endpoint })

/**
 * Every decision that differs between two snapshots, with the rule before and after. Only cells that a changed row can
 * reach are asked; that these are all of them is held against the whole table in the tests. Throws `validation_failed`
 * where more than half a million decisions change: nobody could judge such an edit, and the history could not hold it.
 */
export const decisionChanges = async (
  before: Snapshot,
  after: Snapshot,
  changed: readonly PolicyRow[],
): Promise<readonly CellChange[]> => {
  const changes: CellChange[] = []
  let asked = 0
  for (const [role, actions] of reachedBy(changed, universeOf(before.rows, after.rows), [
    before.engine,
    after.engine,
  ])) {
    for (const action of actions) {
      if (++asked % SLICE === 0) await new Promise(setImmediate)
      const was = cellsFor(before.engine, role, action)
      for (const [i, cell] of cellsFor(after.engine, role, action).entries()) {
        const old = was[i]
        if (
          old === undefined ||
          (old.effect === cell.effect && old.rule === cell.rule && old.endpoint === cell.endpoint)
        )
          continue
        if (changes.length === MOST_DECISIONS)
          throw new Refusal('validation_failed', {
            detail: `More than ${MOST_DECISIONS.toLocaleString('en')} decisions change: make the edit in smaller parts.`,
          })
        changes.push({ role, action, relation: cell.relation, before: outcome(old), after: outcome(cell) })
      }
    }
  }
  return changes
}

/**
 * The part of a universe that some rows can matter to: the roles that have them, by themselves or by inheritance, and
 * their actions.
 */
const reachedBy = function* (
  changed: readonly PolicyRow[],
  { roles, actions }: Universe,
  engines: readonly Engine[],
): Generator<readonly [string, Iterable<string>]> {
  const touched = new Map<string, Set<string>>()
  for (const row of changed) {
    const named = touched.get(row.role) ?? new Set<string>()
    named.add(row.ptype === 'g' ? '*' : row.action)
    touched.set(row.role, named)
  }
  for (const role of roles) {
    const having = new Set<string>([ENGINE_ROLES.anyone, ENGINE_ROLES.user])
    for (const { inheritance } of engines) for (const name of inheritance.ancestors(role).keys()) having.add(name)
    const reached = new Set<string>()
    for (const name of having) for (const action of touched.get(name) ?? []) reached.add(action)
    if (reached.size > 0) yield [role, reached.has('*') ? actions : reached]
  }
}
