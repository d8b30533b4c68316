import type { RoleManager } from 'casbin'

import type { InheritanceRow, PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'

/**
 * How many levels of inheritance Casbin's own role manager follows. Deeper rows are refused, so that it and ours always
 * agree.
 */
export const DEEPEST_INHERITANCE = 10

const MOST_CACHED = 1_000

/** The inheritance rows as an immutable graph. */
export interface Inheritance {
  /** the direct parents of each role that inherits, in the order of the rows */
  readonly parents: ReadonlyMap<string, readonly string[]>
  /** The role and all it inherits from, nearest first, with their distances. Cycles are harmless. */
  ancestors(role: string): ReadonlyMap<string, number>
  /** All roles whose rows apply to a caller with this role: its ancestors, `user` and `anyone`. */
  rolesOf(role: string, ancestors?: Iterable<string>): ReadonlySet<string>
}

/** Makes the graph. It caches the ancestors of the first 1,000 roles that it is asked for, known or not. */
export const createInheritance = (rows: Iterable<InheritanceRow>): Inheritance => {
  const parents = new Map<string, string[]>()
  for (const { role, inherits } of rows) {
    const known = parents.get(role)
    if (known) known.push(inherits)
    else parents.set(role, [inherits])
  }
  const cache = new Map<string, ReadonlyMap<string, number>>()

  const ancestors = (role: string): ReadonlyMap<string, number> => {
    const cached = cache.get(role)
    if (cached) return cached
    const distances = new Map([[role, 0]])
    // breadth first: iterating over a Map also visits entries added meanwhile
    for (const [name, distance] of distances) {
      for (const parent of parents.get(name) ?? []) if (!distances.has(parent)) distances.set(parent, distance + 1)
    }
    if (cache.size < MOST_CACHED) cache.set(role, distances)
    return distances
  }
  return {
    parents,
    ancestors,
    rolesOf: (role, inherited = ancestors(role).keys()) =>
      new Set([...inherited, ...(role === ENGINE_ROLES.anonymous ? [] : [ENGINE_ROLES.user]), ENGINE_ROLES.anyone]),
  }
}

/** The first role that inherits over more levels than Casbin's own role manager follows. */
export const findTooDeep = ({ parents, ancestors }: Inheritance): string | undefined =>
  [...parents.keys()].find((role) => [...ancestors(role).values()].some((distance) => distance > DEEPEST_INHERITANCE))

/** The loop that a row is part of, from its role back to itself; null if it closes none. */
export const loopThrough = (
  { parents, ancestors }: Inheritance,
  { role, inherits }: InheritanceRow,
): readonly string[] | null => {
  if (!ancestors(inherits).has(role)) return null
  // breadth first, so that the shortest way back is named
  const cameFrom = new Map([[inherits, role]])
  for (const [name] of cameFrom)
    for (const parent of parents.get(name) ?? []) if (!cameFrom.has(parent)) cameFrom.set(parent, name)
  const path = [role]
  for (let name = cameFrom.get(role) ?? inherits; name !== role; name = cameFrom.get(name) ?? role) path.unshift(name)
  return [role, ...path]
}

/** The first loop that one of these rows closes. */
export const findLoop = (inheritance: Inheritance, rows: readonly PolicyRow[]): readonly string[] | null => {
  for (const row of rows) {
    const loop = row.ptype === 'g' ? loopThrough(inheritance, row) : null
    if (loop !== null) return loop
  }
  return null
}

export const describeLoop = (loop: readonly string[]): string => `closes a loop of roles: ${loop.join(' > ')}`

/**
 * The graph as a role manager for Casbin. Casbin's own does not mark visited roles: roles that inherit from each other
 * take it exponential time, so that one edit could stop the service.
 */
export const roleManagerOf = ({ ancestors }: Inheritance): RoleManager => {
  const refuse = async () => {
    throw new Error('only hasLink is supported')
  }
  const hasLink = (role: string, other: string) => ancestors(role).has(other)
  return {
    clear: refuse,
    addLink: refuse,
    deleteLink: refuse,
    hasLink: async (role, other) => hasLink(role, other),
    syncedHasLink: hasLink,
    getRoles: refuse,
    getUsers: refuse,
    printRoles: refuse,
    getDomains: refuse,
    getAllDomains: refuse,
  }
}
