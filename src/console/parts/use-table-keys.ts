import type { RefObject } from 'preact'

import type { Identified, Selection } from './selection'
import { useKeys } from './use-keys'

/** What has the focus in a row: its link, or its first button. */
const STOP = '.link-cell a, button'

/**
 * The keys of a table: arrows or `j` `k` move between the rows that have something to press, `/` goes to the search.
 * With a selection, whose items are the rows, `x` selects, Shift `x` a range, Escape clears. Returns a function that
 * focuses the row nearest to a place, or the heading if there is no row.
 */
export const useTableKeys = <Item extends Identified>(
  table: RefObject<HTMLElement | null>,
  selection: Selection<Item> | null,
  more: Readonly<Record<string, () => unknown>> = {},
): ((place: number) => void) => {
  const rows = () => [...(table.current?.querySelectorAll(`tr:has(${STOP})`) ?? [])]
  const focused = () => rows().findIndex((row) => row.contains(document.activeElement))
  const focusRow = (place: number) => {
    const row = rows()[Math.min(rows().length - 1, Math.max(0, place))]
    const stop = row?.querySelector<HTMLElement>(STOP)
    ;(stop ?? document.querySelector<HTMLElement>('h1'))?.focus()
  }
  const next = () => focusRow(focused() + 1)
  const previous = () => focusRow(focused() - 1)
  const select = (isRange: boolean) => {
    const item = selection?.items[focused()]
    if (selection !== null && item !== undefined) selection.select(item, isRange || !selection.has(item), isRange)
  }
  useKeys({
    '/': () => document.querySelector<HTMLInputElement>('[name=q]')?.focus(),
    j: next,
    k: previous,
    ArrowDown: next,
    ArrowUp: previous,
    x: () => select(false),
    X: () => select(true),
    Escape: () => selection?.clear(),
    ...more,
  })
  return focusRow
}
