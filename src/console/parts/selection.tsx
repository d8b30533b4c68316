import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { t } from '../language/language'

export interface Identified {
  readonly id: string
}

export interface Selection<Item extends Identified> {
  readonly items: readonly Item[]
  /** among the visible items */
  readonly chosen: readonly Item[]
  readonly has: (item: Identified) => boolean
  /** `withShift`: also all items between it and the previously selected one */
  readonly select: (item: Identified, isSelected: boolean, withShift?: boolean) => void
  readonly selectAll: () => void
  readonly clear: () => void
  readonly drop: (gone: ReadonlySet<string>) => void
}

export const useSelection = <Item extends Identified>(items: readonly Item[]): Selection<Item> => {
  const ids = useSignal<ReadonlySet<string>>(new Set())
  const last = useRef<string | null>(null)
  const has = ({ id }: Identified) => ids.value.has(id)
  return {
    items,
    chosen: items.filter(has),
    has,
    select: (item, isSelected, withShift = false) => {
      const from = items.findIndex(({ id }) => id === last.current)
      const to = items.findIndex(({ id }) => id === item.id)
      const range = withShift && from >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1) : [item]
      const chosen = new Set(ids.value)
      for (const { id } of range) chosen[isSelected ? 'add' : 'delete'](id)
      ids.value = chosen
      last.current = item.id
    },
    selectAll: () => (ids.value = new Set(items.map(({ id }) => id))),
    clear: () => (ids.value = new Set()),
    drop: (gone) => (ids.value = new Set([...ids.value].filter((id) => !gone.has(id)))),
  }
}

/** The checkbox in the head of a table. */
export const SelectAll = <Item extends Identified>({ of }: { readonly of: Selection<Item> }) => {
  const { items, chosen, selectAll, clear } = of
  const areAll = items.length > 0 && chosen.length === items.length
  return (
    <th scope="col" class="select-cell">
      <input
        type="checkbox"
        aria-label={t.links.selectAll}
        checked={areAll}
        indeterminate={chosen.length > 0 && !areAll}
        onChange={areAll ? clear : selectAll}
      />
    </th>
  )
}

/** The checkbox of one row. */
export const SelectCell = <Item extends Identified>({
  item,
  label,
  of,
}: {
  readonly item: Item
  readonly label: string
  readonly of: Selection<Item>
}) => {
  const withShift = useRef(false)
  return (
    <td class="select-cell">
      <input
        type="checkbox"
        aria-label={label}
        checked={of.has(item)}
        onClick={({ shiftKey }) => {
          withShift.current = shiftKey
        }}
        onChange={({ currentTarget }) => of.select(item, currentTarget.checked, withShift.current)}
      />
    </td>
  )
}
