import { ACTIONS } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import type { Cell, CellChange, Outcome } from '../domain/decision-table.js'
import type { Relation } from '../domain/decision.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { formatCsv } from '../csv/format.js'
import type { Engine } from './engine.js'
import type { Snapshot } from './snapshot.js'

/**
 * All roles and actions whose decisions can differ. The role `user` stands for every role that no row names, and the
 * action `*` for every such action. Casbin treats all unnamed ones alike, so the table is exact.
 */
export interface Universe {
  readonly roles: readonly string[]
  readonly actions: readonly string[]
}

/** The roles that a new installation knows. */
export const DEFAULT_ROLES = ['admin', 'editor', 'viewer']

/** The universe of one or several sets of rows. */
export const universeOf = (...sets: readonly (readonly PolicyRow[])[]): Universe => {
  const roles = new Set<string>(DEFAULT_ROLES)
  const actions = new Set<string>(ACTIONS)
  for (const row of sets.flat()) {
    roles.add(row.role)
    if (row.ptype === 'g') roles.add(row.inherits)
    else actions.add(row.action)
  }
  for (const name of Object.values(ENGINE_ROLES)) roles.delete(name)
  actions.delete('*')
  return {
    roles: [ENGINE_ROLES.anonymous, ...[...roles].sort(), ENGINE_ROLES.user],
    actions: [...[...actions].sort(), '*'],
  }
}

/** The possible relations of this role to a record. A caller without a user owns none. */
export const relationsOf = (role: string): readonly Relation[] =>
  role === ENGINE_ROLES.anonymous ? ['anonymous'] : ['own', 'other']

const RELATION_TEXTS = { anonymous: 'without a user', own: 'on an own record', other: "on another's record" } as const

export const describeRelation = (relation: Relation): string => RELATION_TEXTS[relation]

/** The cells of one role and action. Asks the engine, so that the whole table does not fill the snapshot's cache. */
export const cellsFor = (engine: Engine, role: string, action: string): readonly Cell[] => {
  const endpoint = engine.mayCall(role, action) ? 'allow' : 'deny'
  return relationsOf(role).map((relation) => {
    const { effect, rule } = engine.decide(role, action, relation)
    return { role, action, relation, effect, rule, endpoint }
  })
}

/** The most decisions in one response: more would take memory that the service needs. */
const MOST_DECISIONS = 500_000
const MOST = MOST_DECISIONS.toLocaleString('en')

/**
 * The decision table of a snapshot, or of one role or action. Throws `validation_failed` for more than half a million
 * decisions.
 */
export const decisionTable = async (
  { engine, rows }: Snapshot,
  only: { readonly role?: string | undefined; readonly action?: string | undefined } = {},
  deadline?: Deadline,
): Promise<readonly Cell[]> => {
  const universe = universeOf(rows)
  const roles = only.role === undefined ? universe.roles : [only.role]
  const actions = only.action === undefined ? universe.actions : [only.action]
  const count = roles.length * actions.length * 2
  if (count > MOST_DECISIONS)
    throw new Refusal('validation_failed', {
      detail:
        `The table has ${count.toLocaleString('en')} decisions, more than the ${MOST} of one answer; ` +
        'ask for one role or one action.',
    })
  const pause = pauseEvery(200, deadline)
  const cells: Cell[] = []
  for (const role of roles) {
    for (const action of actions) {
      await pause()
      cells.push(...cellsFor(engine, role, action))
    }
  }
  return cells
}

export const formatTableCsv = (cells: readonly Cell[]): string =>
  formatCsv(cells, ['role', 'action', 'relation', 'effect', 'rule', 'endpoint'])

/**
 * Every decision that differs between two snapshots. Compares only cells that a changed row can affect. Throws
 * `validation_failed` if more than half a million decisions change, and `deadline_exceeded`.
 */
export const decisionChanges = async (
  before: Snapshot,
  after: Snapshot,
  changed: readonly PolicyRow[],
  deadline?: Deadline,
): Promise<readonly CellChange[]> => {
  const pause = pauseEvery(200, deadline)
  const changes: CellChange[] = []
  const engines = [before.engine, after.engine]
  for (const [role, actions] of reachedBy(changed, universeOf(before.rows, after.rows), engines)) {
    for (const action of actions) {
      await pause()
      const [olds, news] = [cellsFor(before.engine, role, action), cellsFor(after.engine, role, action)]
      for (const [i, cell] of news.entries()) {
        const old = olds[i]
        if (!old || (old.effect === cell.effect && old.rule === cell.rule && old.endpoint === cell.endpoint)) continue
        changes.push({ role, action, relation: cell.relation, before: outcome(old), after: outcome(cell) })
      }
      if (changes.length > MOST_DECISIONS)
        throw new Refusal('validation_failed', {
          detail: `More than ${MOST} decisions change: make the edit in smaller parts.`,
        })
    }
  }
  return changes
}

const outcome = ({ effect, rule, endpoint }: Outcome): Outcome => ({ effect, rule, endpoint })

/** The roles affected by changed rows, directly or through inheritance, each with the actions of those rows. */
const reachedBy = function* (
  changed: readonly PolicyRow[],
  { roles, actions }: Universe,
  engines: readonly Engine[],
): Generator<readonly [role: string, actions: Iterable<string>]> {
  const touched = new Map<string, Set<string>>()
  for (const row of changed)
    touched.set(row.role, (touched.get(row.role) ?? new Set()).add(row.ptype === 'g' ? '*' : row.action))
  for (const role of roles) {
    const having = new Set<string>([ENGINE_ROLES.anyone, ENGINE_ROLES.user])
    for (const { inheritance } of engines) for (const name of inheritance.ancestors(role).keys()) having.add(name)
    const reached = new Set([...having].flatMap((name) => [...(touched.get(name) ?? [])]))
    if (reached.size > 0) yield [role, reached.has('*') ? actions : reached]
  }
}

/**
 * True if a caller with the role `granter` may give out `role`: `granter` may do everything that `role` may, by the
 * whole decision table. Otherwise callers could raise their own rights. Throws `deadline_exceeded`.
 */
export const mayGrant = async (
  { engine, rows }: Snapshot,
  granter: string,
  role: string,
  deadline?: Deadline,
): Promise<boolean> => {
  const allows = (who: string, action: string, relation: Relation) =>
    engine.decide(who, action, relation).effect === 'allow'
  const pause = pauseEvery(200, deadline)
  for (const action of universeOf(rows).actions) {
    await pause()
    if (engine.mayCall(role, action) && !engine.mayCall(granter, action)) return false
    for (const relation of relationsOf(role))
      if (allows(role, action, relation) && !allows(granter, action, relation)) return false
  }
  return true
}

/** `mayGrant` under one snapshot, decided once for each pair of roles: each scans the whole decision table. */
export const grantsUnder = (
  snapshot: Snapshot,
  deadline?: Deadline,
): ((granter: string, role: string) => Promise<boolean>) => {
  const known = new Map<string, Promise<boolean>>()
  return (granter, role) => {
    const pair = `${granter} ${role}`
    const may = known.get(pair) ?? mayGrant(snapshot, granter, role, deadline)
    known.set(pair, may)
    return may
  }
}
