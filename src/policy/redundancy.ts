import type { Deadline } from '../domain/deadline.js'
import { pauseEvery } from '../domain/pause-every.js'
import type { EndpointRow, InheritanceRow } from '../domain/policy-row.js'
import { ENGINE_ROLES } from '../domain/role.js'
import { createInheritance, type Inheritance } from './inheritance.js'
import { byPriority, rowsFor, type RowIndex } from './row-index.js'

/** The callers to whom a row of this role applies along with the fewest other rows. */
export const narrowestCallers = (role: string): readonly string[] =>
  role === ENGINE_ROLES.anyone ? [ENGINE_ROLES.anonymous, ENGINE_ROLES.user] : [role]

/** Returns why a row changes no effect, or null if it changes one. */
export const redundancyOf = ({ objects, endpoints, inheritance }: RowIndex, deadline?: Deadline) => {
  const heirs = createInheritance(
    [...inheritance.parents].flatMap(([child, parents]) =>
      parents.map((parent) => ({ ptype: 'g', role: parent, inherits: child }) as const),
    ),
  )
  const pause = pauseEvery(500, deadline)

  /** What callers with these roles may do: to own records, to others', and whether they are let in at all. */
  const effects = (roles: Iterable<string>, action: string): string => {
    const rows = rowsFor(objects, roles, action).sort(byPriority)
    const [own, other] = [rows[0], rows.find(({ reach }) => reach === 'any')]
    const isLetIn = rowsFor(endpoints, roles, action).length > 0
    return `${own?.effect ?? 'deny'} ${other?.effect ?? 'deny'} ${isLetIn}`
  }
  const actionsOf = (roles: Iterable<string>): readonly string[] =>
    [...roles].flatMap((role) => [...(objects.get(role)?.keys() ?? []), ...(endpoints.get(role)?.keys() ?? [])])
  /** The actions whose effects may change without the rows of `lost`: a row over `*` affects all that others name. */
  const affected = (lost: readonly string[], left: Iterable<string>): ReadonlySet<string> => {
    const named = actionsOf(lost)
    return new Set(named.includes('*') ? [...named, ...actionsOf(left)] : named)
  }

  return {
    ofEndpoint: ({ role, action }: EndpointRow): string | null => {
      const twins = narrowestCallers(role).map((caller) =>
        rowsFor(endpoints, inheritance.rolesOf(caller), action).find(
          (row) => row.role !== role || row.action !== action,
        ),
      )
      const texts = new Set(twins.map((twin) => twin && `p2, ${twin.role}, ${twin.action}`))
      return texts.has(undefined) ? null : `the row ${[...texts].join(' and ')} lets the same callers in`
    },

    ofInheritance: async (row: InheritanceRow): Promise<string | null> => {
      const { role, inherits } = row
      if (inherits === ENGINE_ROLES.user) return 'every role of a signed-in user has the rows of user anyway'
      const without = (heir: string) => {
        const left = ancestorsWithout(inheritance, row, heir)
        return { left, lost: [...inheritance.ancestors(heir).keys()].filter((name) => !left.has(name)) }
      }
      const { lost } = without(role)
      if (lost.length === 0) return `${role} inherits ${inherits} over another role as well`
      if (actionsOf(lost).length === 0) return `${inherits} has no rows to inherit`
      for (const heir of heirs.ancestors(role).keys()) {
        const { left, lost: lostByHeir } = without(heir)
        const [before, after] = [inheritance.rolesOf(heir), inheritance.rolesOf(heir, left)]
        for (const action of affected(lostByHeir, after)) {
          await pause()
          if (effects(before, action) !== effects(after, action)) return null
        }
      }
      return 'every effect stays the same without it'
    },
  }
}

/** What a role would inherit without one row. */
const ancestorsWithout = ({ parents }: Inheritance, row: InheritanceRow, from: string): ReadonlySet<string> => {
  const reached = new Set([from])
  for (const name of reached) {
    for (const parent of parents.get(name) ?? []) if (name !== row.role || parent !== row.inherits) reached.add(parent)
  }
  return reached
}
