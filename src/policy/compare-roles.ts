import type { Snapshot } from './snapshot.js'
import { relationsOf, universeOf } from './table.js'

/**
 * True where whoever has the role `granter` may give out `role`: everything that `role` may do, `granter` may do as
 * well, by the rows in force and over the whole decision table. Otherwise they could give it to themselves.
 */
export const mayGrant = (snapshot: Snapshot, granter: string, role: string): boolean => {
  if (role === granter) return true
  const allowed = (who: string, action: string) =>
    relationsOf(who).map((relation) => snapshot.decideFor(who, action, relation).effect === 'allow')
  return universeOf(snapshot.rows).actions.every((action) => {
    const held = allowed(granter, action)
    const endpointHeld = !snapshot.mayCall(role, action) || snapshot.mayCall(granter, action)
    return endpointHeld && allowed(role, action).every((given, i) => !given || held[i] === true)
  })
}
