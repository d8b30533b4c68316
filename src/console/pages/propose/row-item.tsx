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

type RowState = 'new' | 'changed' | 'removed'

/** What the edit does to the row; null: nothing. */
const stateOf = (each: DraftRow): RowState | null => {
  if (each.now === null) return 'removed'
  if (each.was === null) return 'new'
  return isChanged(each) ? 'changed' : null
}

/** Whether the row was in force before the edit, so that what the edit does to it can be taken back. */
const isUndoable = (state: RowState | null): boolean => state === 'changed' || state === 'removed'

/** Where Alt and this key move an object row. */
const STEPS: { readonly [Key in string]?: -1 | 1 } = { ArrowUp: -1, ArrowDown: 1 }

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
  const { id, now } = each
  const { row, comment } = shownOf(each)
  const text = rowText(row)
  const words = rowWords(row, around)
  const state = stateOf(each)
  const press = (event: KeyboardEvent) => {
    if (off !== null) return
    const by = STEPS[event.key]
    if (event.altKey && by !== undefined && row.ptype === 'p') acts.move(id, by)
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
        {isUndoable(state) && !isOpen && (
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
      {isOpen && <RowButtons each={each} state={state} off={off} acts={acts} />}
    </li>
  )
}

/** What can be done to an open row. */
const RowButtons = ({
  each: { id, now },
  state,
  off,
  acts,
}: {
  readonly each: DraftRow
  readonly state: RowState | null
  readonly off: string | null
  readonly acts: RowActs
}) => (
  <div class="row">
    {now?.row.ptype === 'p' && (
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
    {isUndoable(state) ? (
      <Button kind="bare" icon="restore" off={off} onPress={() => acts.takeBack(id)}>
        {t.propose.undo}
      </Button>
    ) : (
      <Button kind="bare risk" icon="trash" off={off} onPress={() => acts.remove(id)}>
        {t.propose.remove}
      </Button>
    )}
    <Button onPress={() => acts.open(null)}>{t.propose.done}</Button>
  </div>
)
