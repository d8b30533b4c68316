import type { Cell } from '../../../domain/decision-table.js'
import { OTHER_ACTION, OTHER_ROLE } from '../../parts/matrix/matrix-model.js'

/**
 * Whether a user with a role may give out another role, or change users who have it, as the service decides it: by the
 * whole table, their role may do everything that the other one may.
 */
export const mayGiveIn = (cells: readonly Cell[]): ((granter: string, role: string) => boolean) => {
  const byRole = new Map<string, Map<string, Cell>>()
  for (const cell of cells) {
    const ofRole = byRole.get(cell.role) ?? new Map<string, Cell>()
    byRole.set(cell.role, ofRole.set(`${cell.action} ${cell.relation}`, cell))
  }
  // an unnamed role counts as any other role
  const answersOf = (role: string) => byRole.get(role) ?? byRole.get(OTHER_ROLE)
  return (granter, role) => {
    const own = answersOf(granter)
    for (const [question, theirs] of answersOf(role) ?? []) {
      const [, relation] = question.split(' ')
      const mine = own?.get(question) ?? own?.get(`${OTHER_ACTION} ${relation}`)
      if (theirs.endpoint === 'allow' && mine?.endpoint !== 'allow') return false
      if (theirs.effect === 'allow' && mine?.effect !== 'allow') return false
    }
    return true
  }
}
