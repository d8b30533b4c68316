import type { Question } from '../../../domain/decision-table.js'
import type { MatrixModel, RoleColumns } from './matrix-model.js'

/** The shown part of a matrix, in order. */
export interface ShownNames {
  readonly roles: readonly RoleColumns[]
  readonly actions: readonly string[]
}

const PAGE = 10

/** The cell to which a key moves; null for keys that do not move. */
export const move = (
  { at }: Pick<MatrixModel, 'at'>,
  { roles, actions }: ShownNames,
  from: Question,
  { key, ctrlKey }: { readonly key: string; readonly ctrlKey: boolean },
): Question | null => {
  const row = Math.max(actions.indexOf(from.action), 0)
  const inRow = (index: number): readonly Question[] => {
    const action = actions[Math.min(Math.max(index, 0), actions.length - 1)]
    if (action === undefined) return []
    return roles.flatMap(({ role }) => at(role, action).map(({ relation }) => ({ role, action, relation })))
  }
  const here = inRow(row)
  const place = here.findIndex(({ role, relation }) => role === from.role && relation === from.relation)
  /** the same column; a wide cell counts as its first one */
  const inColumn = (index: number): Question | undefined => {
    const ofRole = inRow(index).filter(({ role }) => role === from.role)
    return ofRole.find(({ relation }) => relation === from.relation) ?? ofRole[0]
  }
  const found = (): Question | undefined | null => {
    switch (key) {
      case 'ArrowLeft':
        return here[place - 1]
      case 'ArrowRight':
        return here[place + 1]
      case 'ArrowUp':
        return inColumn(row - 1)
      case 'ArrowDown':
        return inColumn(row + 1)
      case 'PageUp':
        return inColumn(row - PAGE)
      case 'PageDown':
        return inColumn(row + PAGE)
      case 'Home':
        return ctrlKey ? inRow(0)[0] : here[0]
      case 'End':
        return ctrlKey ? inRow(actions.length - 1).at(-1) : here.at(-1)
      default:
        return null
    }
  }
  const target = found()
  return target === undefined ? from : target
}
