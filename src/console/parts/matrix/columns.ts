import type { RoleColumns } from './matrix-model.js'

/** In pixels, at the usual size of the text. A role with a single column gets a wider one. */
export const WIDTHS = { action: 140, half: 88, single: 96 } as const
/** The usual size of the text of a page. */
export const TEXT_PX = 14

export const widthOf = ({ relations }: RoleColumns): number =>
  relations.length === 1 ? WIDTHS.single : WIDTHS.half * relations.length

/** A rendered role, with the number of its first column, or the space of roles that are not rendered. */
export type Slot =
  | { readonly is: 'role'; readonly column: number; readonly role: RoleColumns }
  | { readonly is: 'gap'; readonly key: string; readonly width: number }

/** The visible range of the role columns, in pixels of `WIDTHS` from the start of the first one. */
export interface Seen {
  readonly from: number
  readonly to: number
}

/** Rendered beyond the visible range, in pixels, so that scrolling shows no gap. */
const BESIDE = 800

/** Only visible roles are rendered, and those to keep: two hundred roles would be many thousand cells. */
export const slotsOf = (roles: readonly RoleColumns[], { from, to }: Seen, keep: string | null): readonly Slot[] => {
  const slots: Slot[] = []
  let left = 0
  let column = 2
  for (const role of roles) {
    const width = widthOf(role)
    const last = slots.at(-1)
    if (role.role === keep || (left + width > from - BESIDE && left < to + BESIDE))
      slots.push({ is: 'role', column, role })
    else if (last?.is === 'gap') slots[slots.length - 1] = { ...last, width: last.width + width }
    else slots.push({ is: 'gap', key: `to ${role.role}`, width })
    left += width
    column += role.relations.length
  }
  return slots
}
