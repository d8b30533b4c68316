import type { Snapshot } from './snapshot.js'
import { relationsOf, universeOf } from './table.js'

/**
 * True where everything that `role` may do, `than` may do as well: by the rows in force, over the whole decision table.
 * What one may give to others ends at what one has: whoever hands out a higher role could hand it to themself.
 */
export const isNoHigher = (snapshot: Snapshot, role: string, than: string): boolean => {
  const may = (who: string, action: string) =>
    relationsOf(who).map((relation) => snapshot.decideFor(who, action, relation).effect === 'allow')
  return (
    role === than ||
    universeOf(snapshot.rows).actions.every((action) => {
      const held = may(than, action)
      return (
        may(role, action).every((allowed, i) => !allowed || held[i] === true) &&
        (!snapshot.mayCall(role, action) || snapshot.mayCall(than, action))
      )
    })
  )
}
