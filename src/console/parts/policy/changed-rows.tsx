import { t } from '../../language/language'
import { rowText, type SentRow } from './row'
import { rowWords } from './row-words'

/** Added and removed rows: sign, words, and file format. */
export const ChangedRows = ({
  added,
  removed,
}: {
  readonly added: readonly SentRow[]
  readonly removed: readonly SentRow[]
}) => {
  if (added.length + removed.length === 0) return <p class="hint">{t.policy.noRows}</p>
  const line = (row: SentRow, isAdded: boolean) => (
    <li key={`${isAdded} ${rowText(row)}`} class={isAdded ? 'added' : 'removed'}>
      <span class="mono" aria-hidden="true">
        {isAdded ? '+' : '−'}
      </span>
      <span>
        <span class="unseen">{isAdded ? t.policy.added : t.policy.removed}: </span>
        {rowWords(row)}
        <code class="raw">{rowText(row)}</code>
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
