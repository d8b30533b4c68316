import type { RoleManager } from 'casbin'

import type { InheritanceRow } from '../domain/policy-row.js'

/** How deep Casbin's own role manager follows inheritance; deeper rows are refused so that both always agree. */
export const DEEPEST_INHERITANCE = 10

/** The inheritance rows as a graph. Built once, never changed. */
export interface Inheritance {
  /**
   * The role itself and all it inherits from, each with its distance. Linear in the edges reached; cycles are harmless.
   */
  ancestors(role: string): ReadonlyMap<string, number>
  /** The roles that inherit from each other directly, in the order of the rows. */
  readonly parents: ReadonlyMap<string, readonly string[]>
}

/** The first role whose inheritance is deeper than Casbin's own role manager follows; null where there is none. */
export const deeperThanCasbin = ({ parents, ancestors }: Inheritance): string | null => {
  for (const role of parents.keys()) {
    for (const distance of ancestors(role).values()) if (distance > DEEPEST_INHERITANCE) return role
  }
  return null
}

const REMEMBERED_ROLES = 1_000

export const createInheritance = (rows: Iterable<InheritanceRow>): Inheritance => {
  const parents = new Map<string, string[]>()
  for (const { role, inherits } of rows) {
    const known = parents.get(role)
    if (known) known.push(inherits)
    else parents.set(role, [inherits])
  }
  const remembered = new Map<string, ReadonlyMap<string, number>>()

  const ancestors = (role: string): ReadonlyMap<string, number> => {
    const known = remembered.get(role)
    if (known) return known
    const distances = new Map([[role, 0]])
    // a Map's iteration meets what is added on the way: a breadth-first walk
    for (const [name, distance] of distances) {
      for (const parent of parents.get(name) ?? []) if (!distances.has(parent)) distances.set(parent, distance + 1)
    }
    if (remembered.size < REMEMBERED_ROLES) remembered.set(role, distances)
    return distances
  }
  return { ancestors, parents }
}

/**
 * The graph as Casbin's role manager. Casbin's own searches without marking where it has been: roles that inherit each
 * other cost it time exponential in their number, which would let one edit stop the service.
 */
export const roleManagerOf = ({ ancestors, parents }: Inheritance): RoleManager => {
  const refuse = async () => {
    throw new Error('the inheritance of a policy revision never changes')
  }
  const hasLink = (role: string, other: string) => ancestors(role).has(other)
  return {
    clear: refuse,
    addLink: refuse,
    deleteLink: refuse,
    hasLink: async (role, other) => hasLink(role, other),
    syncedHasLink: hasLink,
    getRoles: async (role) => [...(parents.get(role) ?? [])],
    getUsers: async (role) => [...parents].filter(([, inherited]) => inherited.includes(role)).map(([name]) => name),
    printRoles: async () => {},
    getDomains: async () => [],
    getAllDomains: async () => [],
  }
}
