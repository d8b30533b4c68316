import type { PolicyRow } from '../../../domain/policy-row.js'
import { OTHER_ROLE } from '../matrix/matrix-model.js'
import { policyRowIn, type SentRow } from './row.js'

/** Each role that inherits, with all that it inherits from, nearest first. */
const ancestorsIn = (rows: readonly SentRow[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const parents = new Map<string, string[]>()
  for (const sent of rows) {
    const row = policyRowIn(sent)
    if (row?.ptype === 'g') parents.set(row.role, [...(parents.get(row.role) ?? []), row.inherits])
  }
  const all = new Map<string, ReadonlySet<string>>()
  for (const role of parents.keys()) {
    // iterating over a Set also visits entries added meanwhile, so cycles are harmless
    const found = new Set([role])
    for (const name of found) for (const parent of parents.get(name) ?? []) found.add(parent)
    found.delete(role)
    all.set(role, found)
  }
  return all
}

/** The roles whose rows apply to each role, by its inheritance rows; `user` applies to all anyway. */
export const inheritedIn = (rows: readonly SentRow[]): ReadonlyMap<string, readonly string[]> => {
  const named = [...ancestorsIn(rows)].map(
    ([role, all]) => [role, [...all].filter((name) => name !== OTHER_ROLE)] as const,
  )
  return new Map(named.filter(([, all]) => all.length > 0))
}

/** Whether a role has the rows of another, by its inheritance rows. */
export const inheritsIn = (rows: readonly PolicyRow[]): ((role: string, other: string) => boolean) => {
  const all = ancestorsIn(rows)
  return (role, other) => all.get(role)?.has(other) === true
}

/** Roles that explicitly inherit every row of `user`. */
export const inheritingUser = (rows: readonly SentRow[]): readonly string[] =>
  rows.flatMap((sent) => {
    const row = policyRowIn(sent)
    return row?.ptype === 'g' && row.inherits === OTHER_ROLE ? [row.role] : []
  })
