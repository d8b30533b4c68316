import type { RefObject } from 'preact'

import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { rowText, type SentRow } from '../../parts/policy/row'
import { rowWords } from '../../parts/policy/row-words'
import { isChanged, joinContinued, shownOf, type Commented, type DraftRow } from './draft'
import { RowForm, type Vocabulary } from './row-form'
import { RowNoteLine } from './row-note-line'
import type { RowNote } from './row-notes'

interface RowActs {
  readonly change: (id: string, now: Commented) => unknown
  readonly remove: (id: string) => unknown
  readonly takeBack: (id: string) => unknown
  readonly duplicate: (id: string) => unknown
  readonly move: (id: string, by: -1 | 1) => unknown
  readonly open: (id: string | null) => unknown
}

/** A row of the draft: in words and in file format, with its notes, and its fields while it is edited. */
export const RowItem = ({
  each,
  around,
  notes,
  isOpen,
  off,
  vocabulary,
  acts,
  opener,
}: {
  readonly each: DraftRow
  /** the rows of its kind, for wording what is left for it */
  readonly around: readonly SentRow[]
  readonly notes: readonly RowNote[]
  readonly isOpen: boolean
  /** why nothing can be changed; null if it can */
  readonly off: string | null
  readonly vocabulary: Vocabulary
  readonly acts: RowActs
  /** gets the button that opens the row */
  readonly opener: RefObject<HTMLButtonElement | null> | null
}) => {
  const { id, was, now } = each
  const { row, comment } = shownOf(each)
  const text = rowText(row)
  const words = rowWords(row, around)
  const state = now === null ? 'removed' : was === null ? 'new' : isChanged(each) ? 'changed' : null
  const press = (event: KeyboardEvent) => {
    if (off !== null) return
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null
    if (event.altKey && by !== null && row.ptype === 'p') acts.move(id, by)
    else if (event.key === 'Delete') acts.remove(id)
    else if (event.key === 'd' && !event.ctrlKey && !event.metaKey) acts.duplicate(id)
    else return
    event.preventDefault()
  }
  const faults = Object.fromEntries(
    notes.flatMap((note) => (note.is === 'fault' ? [[note.field, t.propose.fault(note.message)]] : [])),
  )
  const beside = notes.filter((note) => note.is !== 'fault' || !isOpen || note.field === '')
  return (
    <li class={['draft-row', state, isOpen && 'open'].filter(Boolean).join(' ')}>
      {comment !== '' && !isOpen && <p class="comment">{joinContinued(comment)}</p>}
      <div class="draft-row-line">
        <span class="priority">{row.ptype === 'p' && row.priority}</span>
        <button
          type="button"
          class="row-words"
          ref={opener}
          aria-expanded={isOpen}
          aria-label={[t.propose.edit(words), ...(state === null ? [] : [t.propose.rowStates[state]])].join(', ')}
          onClick={() => acts.open(isOpen ? null : id)}
          onKeyDown={press}
        >
          {now === null ? <del>{words}</del> : words}
          <code>{text}</code>
        </button>
        {state !== null && (
          <span class={state === 'removed' ? 'badge deny' : 'badge lit'}>{t.propose.rowStates[state]}</span>
        )}
        {state !== null && state !== 'new' && !isOpen && (
          <Button kind="bare" off={off} label={`${t.propose.undo}: ${text}`} onPress={() => acts.takeBack(id)}>
            {t.propose.undo}
          </Button>
        )}
      </div>
      {isOpen && now !== null && (
        <fieldset disabled={off !== null}>
          <RowForm now={now} vocabulary={vocabulary} faults={faults} onChange={(to) => acts.change(id, to)} />
        </fieldset>
      )}
      {beside.map((note, at) => (
        <RowNoteLine key={at} note={note} />
      ))}
      {isOpen && (
        <div class="row">
          {row.ptype === 'p' && now !== null && (
            <>
              <Button kind="bare" off={off} onPress={() => acts.move(id, -1)}>
                {t.propose.up}
              </Button>
              <Button kind="bare" off={off} onPress={() => acts.move(id, 1)}>
                {t.propose.down}
              </Button>
            </>
          )}
          {now !== null && (
            <Button kind="bare" icon="copy" off={off} onPress={() => acts.duplicate(id)}>
              {t.propose.duplicate}
            </Button>
          )}
          {state === null || state === 'new' ? (
            <Button kind="bare risk" icon="trash" off={off} onPress={() => acts.remove(id)}>
              {t.propose.remove}
            </Button>
          ) : (
            <Button kind="bare" icon="restore" off={off} onPress={() => acts.takeBack(id)}>
              {t.propose.undo}
            </Button>
          )}
          <Button onPress={() => acts.open(null)}>{t.propose.done}</Button>
        </div>
      )}
    </li>
  )
}
