import leven, { closestMatch } from 'leven'

import type { PolicyRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { DEFAULT_ROLES } from './table.js'

/** A role that is probably misspelt: it occurs only once, or differs from a known role by a slip. */
export interface LoneRole {
  readonly role: string
  /** the known role with the most similar name; null if none is similar */
  readonly nearest: string | null
}

/** How many lone roles get a suggestion: each is compared with every name. */
const MOST_COMPARED = 100

/** The roles that a row names. */
export const rolesInRow = (row: PolicyRow): readonly string[] =>
  row.ptype === 'g' ? [row.role, row.inherits] : [row.role]

/** All role names in these rows. */
export const rolesIn = (rows: readonly PolicyRow[]): ReadonlySet<string> => new Set(rows.flatMap(rolesInRow))

/**
 * The lone roles of `rows`, in their order. `known` are roles used elsewhere: those of users, and those of the rows in
 * force. Casbin accepts any name, so a misspelt role raises no error; it is simply a role that nobody has.
 */
export const findLoneRoles = (rows: readonly PolicyRow[], known: Iterable<string> = []): readonly LoneRole[] => {
  const established = new Set([...DEFAULT_ROLES, ...Object.values(ENGINE_ROLES), ...known])
  const counts = new Map<string, number>()
  for (const role of rows.flatMap(rolesInRow)) counts.set(role, (counts.get(role) ?? 0) + 1)
  const often = [...counts].flatMap(([role, count]) => (count > 1 ? [role] : []))
  const names = [...new Set([...established, ...often])]
  let compared = 0
  const nearest = (role: string) => (compared++ < MOST_COMPARED ? nearestRole(role, names) : null)
  return [...counts].flatMap(([role, count]) => {
    if (established.has(role)) return []
    if (count === 1) return [{ role, nearest: nearest(role) }]
    const near = nearest(role)
    return near !== null && established.has(near) && isSlip(role, near) ? [{ role, nearest: near }] : []
  })
}

/** The user's role as a lone role, if no row and no other user has it; otherwise null. */
export const loneRoleOfUser = (role: string, known: Iterable<string>): LoneRole | null => {
  const names = [...new Set([...DEFAULT_ROLES, ...known])]
  return names.includes(role) ? null : { role, nearest: nearestRole(role, names) }
}

/** What is wrong with the name, and which one may be meant. */
export const describeLoneRole = ({ role, nearest }: LoneRole): string =>
  `the role ${role} is written nowhere else${nearest === null ? '' : `; did you mean ${nearest}?`}`

const nearestRole = (role: string, names: readonly string[]): string | null =>
  closestMatch(
    role,
    names.filter((name) => name !== role),
    { maxDistance: Math.max(2, Math.floor(role.length / 2)) },
  ) ?? null

/** One letter added, missing or wrong, or two swapped. */
const isSlip = (one: string, other: string): boolean => {
  const distance = leven(one, other)
  const letters = (text: string) => [...text].sort().join('')
  return distance === 1 || (distance === 2 && letters(one) === letters(other))
}
