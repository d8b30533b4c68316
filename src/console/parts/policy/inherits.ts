import { OTHER_ROLE } from '../matrix/matrix-model'
import { policyRowIn } from './row'
import type { SentRow } from './row'

/** The roles whose rows count for each, from their inheritance rows, nearest first; `user` counts for all anyway. */
export const inheritedIn = (rows: readonly SentRow[]): ReadonlyMap<string, readonly string[]> => {
  const parents = new Map<string, string[]>()
  for (const sent of rows) {
    const row = policyRowIn(sent)
    if (row?.ptype === 'g') parents.set(row.role, [...(parents.get(row.role) ?? []), row.inherits])
  }
  const all = new Map<string, readonly string[]>()
  for (const role of parents.keys()) {
    // a Set that grows while it is walked: cycles do no harm
    const found = new Set([role])
    for (const name of found) for (const parent of parents.get(name) ?? []) found.add(parent)
    found.delete(role)
    found.delete(OTHER_ROLE)
    if (found.size > 0) all.set(role, [...found])
  }
  return all
}

/** Roles that say that they inherit every row of `user`. */
export const inheritingUser = (rows: readonly SentRow[]): readonly string[] =>
  rows.flatMap((sent) => {
    const row = policyRowIn(sent)
    return row?.ptype === 'g' && row.inherits === OTHER_ROLE ? [row.role] : []
  })
