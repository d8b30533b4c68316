import { isServiceAction } from '../../../domain/action.js'
import type { Cell } from '../../../domain/decision-table.js'
import { OTHER_ROLE } from '../../parts/matrix/matrix-model.js'

/** How a token narrows its user's rights. */
interface Narrowing {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
}

/**
 * A person's rights: the cells of their role, or of any other role if no row names it, and of each token as far as its
 * scopes go. `words`: the title of a token's column, and the label for a missing scope.
 */
export const personCells = (
  all: readonly Cell[],
  role: string,
  tokens: readonly Narrowing[],
  words: { readonly token: (name: string) => string; readonly scope: string },
): readonly Cell[] => {
  const named = all.some((cell) => cell.role === role) ? role : OTHER_ROLE
  const own = all.filter((cell) => cell.role === named).map((cell): Cell => ({ ...cell, role }))
  const columns = [role]
  const cells = [...own]
  for (const { id, name, scopes } of tokens) {
    const plain = words.token(name)
    const column = columns.includes(plain) ? `${plain}, ${id}` : plain
    columns.push(column)
    for (const cell of own) {
      const mayAsk = isServiceAction(cell.action) && scopes.includes(cell.action)
      cells.push(
        mayAsk || cell.effect === 'deny' || cell.endpoint === 'deny'
          ? { ...cell, role: column }
          : { ...cell, role: column, effect: 'deny', rule: words.scope },
      )
    }
  }
  return cells
}
