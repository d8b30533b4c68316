import { EnforceContext, newEnforcer } from 'casbin'
import type { Enforcer } from 'casbin'

import type { Relation } from '../domain/decision.js'
import type { EndpointRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { DEEPEST_INHERITANCE, createInheritance, deeperThanCasbin, roleManagerOf } from './inheritance.js'
import type { Inheritance } from './inheritance.js'
import { casbinModel } from './model.js'
import type { PolicyModel } from './model.js'
import { rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'

/**
 * Casbin over one immutable set of rows. Synchronous; the price of a question does not depend on how many rows there
 * are.
 */
export interface Engine {
  readonly inheritance: Inheritance
  /** Casbin's answer, and the row that gave it; `null` where no row matched and the model's own deny holds. */
  ask(role: string, action: string, relation: Relation): { readonly allowed: boolean; readonly row: ObjectRow | null }
  /** May the role call endpoints of this action at all? */
  askEndpoint(role: string, action: string): boolean
  /** The rows that can match a question, in the order in which they are considered. */
  candidates(role: string, action: string): readonly ObjectRow[]
  /** The endpoint rows that can match a question, in no order: each alone would let the role in. */
  endpointCandidates(role: string, action: string): readonly EndpointRow[]
}

/**
 * The ids that stand for each relation when Casbin is asked: parseModel proved that nothing else of an id is looked at.
 */
const REQUESTS: Readonly<Record<Relation, { readonly id: string; readonly owner_id: string }>> = {
  anonymous: { id: '', owner_id: '' },
  own: { id: '1', owner_id: '1' },
  other: { id: '1', owner_id: '2' },
}

/** How many rows are indexed before the event loop gets its turn again. */
const SLICE = 1_000

/**
 * Builds an engine from rows that were parsed. Nothing of an engine that is in use is ever changed; a new revision is a
 * new engine. Rows with equal role, action and reach match the same requests, so of each such group only the one with
 * the smallest priority can ever decide, and only that one is put before Casbin. Throws PolicyError where two object
 * rows have one priority, or where roles inherit over more levels than Casbin follows.
 */
export const buildEngine = async (model: PolicyModel, rows: readonly PolicyRow[]): Promise<Engine> => {
  const index = await indexRows(rows)
  const inheritance = createInheritance(index.inheritance)
  const deep = deeperThanCasbin(inheritance)
  if (deep !== null) throw new PolicyError(`the role ${deep} inherits over more than ${DEEPEST_INHERITANCE} levels`)
  const casbin = await casbinOver(model, inheritance)

  const matching = <Row>(
    table: ReadonlyMap<string, ReadonlyMap<string, readonly Row[]>>,
    role: string,
    action: string,
  ): Row[] => {
    const found: Row[] = []
    const roles = new Set([...inheritance.ancestors(role).keys(), ENGINE_ROLES.user, ENGINE_ROLES.anyone])
    for (const name of roles) {
      const ofRole = table.get(name)
      if (ofRole) found.push(...(ofRole.get(action) ?? []), ...(action === '*' ? [] : (ofRole.get('*') ?? [])))
    }
    return found
  }
  const candidates = (role: string, action: string) =>
    matching(index.object, role, action).sort((a, b) => a.priority - b.priority)
  const endpointCandidates = (role: string, action: string) => matching(index.endpoint, role, action)

  return Object.freeze({
    inheritance,
    candidates,
    endpointCandidates,
    ask: (role: string, action: string, relation: Relation) => {
      const { id, owner_id } = REQUESTS[relation]
      return casbin.askObject(candidates(role, action), { role, id }, action, { owner_id })
    },
    askEndpoint: (role: string, action: string) => casbin.askEndpoint(endpointCandidates(role, action), role, action),
  })
}

type Table<Row> = Map<string, Map<string, Row[]>>

const indexRows = async (rows: readonly PolicyRow[]) => {
  const object: Table<ObjectRow> = new Map()
  const endpoint: Table<EndpointRow> = new Map()
  const inheritance: PolicyRow[] = []
  const priorities = new Set<number>()
  for (const [i, row] of rows.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate)
    if (row.ptype === 'g') inheritance.push(row)
    else if (row.ptype === 'p2') cell(endpoint, row)[0] ??= row
    else {
      if (priorities.has(row.priority)) throw new PolicyError(`two object rows have the priority ${row.priority}`)
      priorities.add(row.priority)
      keepFirst(cell(object, row), row)
    }
  }
  return { object, endpoint, inheritance: inheritance.filter((row) => row.ptype === 'g') }
}

const cell = <Row extends ObjectRow | EndpointRow>(table: Table<Row>, { role, action }: Row): Row[] => {
  let ofRole = table.get(role)
  if (!ofRole) table.set(role, (ofRole = new Map<string, Row[]>()))
  let rows = ofRole.get(action)
  if (!rows) ofRole.set(action, (rows = []))
  return rows
}

const keepFirst = (rows: ObjectRow[], row: ObjectRow) => {
  const same = rows.findIndex(({ reach }) => reach === row.reach)
  const rival = rows[same]
  if (!rival) rows.push(row)
  else if (row.priority < rival.priority) rows[same] = row
}

/**
 * One Casbin enforcer that is handed the rows of each question. The hand-over and the answer happen within one turn of
 * the event loop, and the enforcer is reachable from here alone, so nobody can meet it half filled.
 */
const casbinOver = async (model: PolicyModel, inheritance: Inheritance) => {
  const enforcer: Enforcer = await newEnforcer(casbinModel(model.text))
  const assertion = (section: string, key: string) => {
    const found = enforcer.getModel().model.get(section)?.get(key)
    if (!found) throw new PolicyError(`model.conf: ${key} is not defined`)
    return found
  }
  const [object, endpoint] = [assertion('p', 'p'), assertion('p', 'p2')]
  assertion('g', 'g').rm = roleManagerOf(inheritance)
  const endpointContext = () => new EnforceContext('r2', 'p2', 'e2', 'm2')

  return {
    askObject: (
      rows: readonly ObjectRow[],
      sub: { role: string; id: string },
      act: string,
      obj: { owner_id: string },
    ) => {
      if (rows.length === 0) return { allowed: false, row: null }
      object.policy = rows.map(rowTexts)
      const [allowed, texts] = enforcer.enforceExSync(sub, act, obj)
      return { allowed: allowed === true, row: rows[object.policy.indexOf(texts)] ?? null }
    },
    askEndpoint: (rows: readonly EndpointRow[], role: string, act: string) => {
      if (rows.length === 0) return false
      endpoint.policy = rows.map(rowTexts)
      return enforcer.enforceSync(endpointContext(), role, act) === true
    },
  }
}
