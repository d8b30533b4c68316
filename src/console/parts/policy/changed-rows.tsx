import type { ComponentChildren } from 'preact'

import { t } from '../../language/language'
import { rowText, type SentRow } from './row'
import { rowWords } from './row-words'

const wordsAndText = (row: SentRow): ComponentChildren => (
  <>
    {rowWords(row)}
    <code class="raw">{rowText(row)}</code>
  </>
)

/** Added and removed rows, each with its sign. `children` shows a row: in words and in file format unless it is set. */
export const ChangedRows = ({
  added,
  removed,
  children = wordsAndText,
}: {
  readonly added: readonly SentRow[]
  readonly removed: readonly SentRow[]
  readonly children?: (row: SentRow, isAdded: boolean) => ComponentChildren
}) => {
  if (added.length + removed.length === 0) return <p class="hint">{t.policy.noRows}</p>
  const line = (row: SentRow, isAdded: boolean) => (
    <li key={`${isAdded} ${rowText(row)}`} class={isAdded ? 'added' : 'removed'}>
      <span class="mono" aria-hidden="true">
        {isAdded ? '+' : '−'}
      </span>
      <span>
        <span class="unseen">{isAdded ? t.policy.added : t.policy.removed}: </span>
        {children(row, isAdded)}
      </span>
    </li>
  )
  return (
    <ul class="changed-rows">
      {removed.map((row) => line(row, false))}
      {added.map((row) => line(row, true))}
    </ul>
  )
}
