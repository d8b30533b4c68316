import { EnforceContext, newEnforcer } from 'casbin'

import type { Decision, Relation } from '../domain/decision.js'
import type { EndpointRow, ObjectRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { DEEPEST_INHERITANCE, findTooDeep, roleManagerOf, type Inheritance } from './inheritance.js'
import { casbinModel, type PolicyModel } from './model.js'
import { rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import { byPriority, indexRows, rowsFor } from './row-index.js'

/** Casbin over one immutable set of rows. Synchronous; the cost of a decision does not depend on the number of rows. */
export interface Engine {
  readonly inheritance: Inheritance
  /** Casbin's answer and the row that gave it. The row is null if none matched, so the model itself denies. */
  decide(role: string, action: string, relation: Relation): Pick<Decision, 'effect' | 'rule' | 'row'>
  /** May the role call endpoints of this action at all? */
  mayCall(role: string, action: string): boolean
  /** The rows that Casbin is given, in the order in which it considers them. */
  candidates(role: string, action: string): readonly ObjectRow[]
  endpointCandidates(role: string, action: string): readonly EndpointRow[]
}

/** Sample ids for each relation. parseModel has checked that matchers depend on nothing else about ids. */
const IDS: Readonly<Record<Relation, { readonly id: string; readonly owner_id: string }>> = {
  anonymous: { id: '', owner_id: '' },
  own: { id: '1', owner_id: '1' },
  other: { id: '1', owner_id: '2' },
}

/**
 * Builds an engine. It never changes; a new revision gets a new engine. Throws PolicyError if two object rows have the
 * same priority, or if roles inherit over more levels than Casbin follows.
 */
export const buildEngine = async (model: PolicyModel, rows: readonly PolicyRow[]): Promise<Engine> => {
  const { objects, endpoints, inheritance } = await indexRows(rows, 1)
  const tooDeep = findTooDeep(inheritance)
  if (tooDeep !== undefined)
    throw new PolicyError(`the role ${tooDeep} inherits over more than ${DEEPEST_INHERITANCE} levels`)

  const enforcer = await newEnforcer(casbinModel(model.text))
  const assertion = (section: string, key: string) => {
    const found = enforcer.getModel().model.get(section)?.get(key)
    if (!found) throw new PolicyError(`model.conf: ${key} is not defined`)
    return found
  }
  const [object, endpoint] = [assertion('p', 'p'), assertion('p', 'p2')]
  assertion('g', 'g').rm = roleManagerOf(inheritance)

  // anonymous gets the rows of `user` as well: the model decides whether they match
  const roles = (role: string) =>
    new Set([...inheritance.ancestors(role).keys(), ENGINE_ROLES.user, ENGINE_ROLES.anyone])
  const candidates = (role: string, action: string) => rowsFor(objects, roles(role), action).sort(byPriority)
  const endpointCandidates = (role: string, action: string) => rowsFor(endpoints, roles(role), action)

  return Object.freeze<Engine>({
    inheritance,
    candidates,
    endpointCandidates,
    // INVARIANT: nothing is awaited between setting the rows and deciding, so no decision sees another one's rows
    decide: (role, action, relation) => {
      const rows = candidates(role, action)
      if (rows.length === 0) return { effect: 'deny', rule: 'default', row: null }
      object.policy = rows.map(rowTexts)
      const { id, owner_id } = IDS[relation]
      const [allowed, texts] = enforcer.enforceExSync({ role, id }, action, { owner_id })
      const row = rows[object.policy.indexOf(texts)] ?? null
      return { effect: allowed === true ? 'allow' : 'deny', rule: row?.rule ?? 'default', row }
    },
    mayCall: (role, action) => {
      const rows = endpointCandidates(role, action)
      endpoint.policy = rows.map(rowTexts)
      return rows.length > 0 && enforcer.enforceSync(new EnforceContext('r2', 'p2', 'e2', 'm2'), role, action) === true
    },
  })
}
