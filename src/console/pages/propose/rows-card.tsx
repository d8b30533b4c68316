import { useSignal, type Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import type { TypedRow } from '../../parts/policy/row'
import { Segments } from '../../parts/segments'
import { say } from '../../parts/toast'
import {
  MOST_PRIORITY,
  addRow,
  changeRow,
  duplicateRow,
  isChanged,
  moveRow,
  priorityOf,
  priorityAfter,
  removeRow,
  rowsOfKind,
  shownOf,
  takeBack,
  type Draft,
  type Held,
} from './draft'
import { foldRows } from './fold-rows'
import type { Vocabulary } from './row-form'
import { RowItem } from './row-item'
import { RowNoteLine } from './row-note-line'
import type { Notes } from './row-notes'

const KINDS = ['p', 'p2', 'g'] as const
type Kind = (typeof KINDS)[number]

/** The rows in order, by kind; each can be opened, and its notes are below it. */
export const RowsCard = ({
  draft,
  notes,
  off,
  vocabulary,
}: {
  readonly draft: Signal<Draft>
  readonly notes: Notes
  /** why nothing can be changed; null if it can */
  readonly off: string | null
  readonly vocabulary: Vocabulary
}) => {
  const kind = useSignal<Kind>('p')
  const held = useSignal<Held | null>(null)
  const openId = held.value?.id ?? null
  const unfolded = useSignal<ReadonlySet<string>>(new Set())
  const opener = useRef<HTMLButtonElement>(null)
  const wantsFocus = useRef<string | null>(null)
  const rows = rowsOfKind(draft.value, kind.value, held.value)
  const around = rows.flatMap(({ now }) => (now === null ? [] : now.row))
  // before the next key, because fast typing refers to the row that was just moved
  useLayoutEffect(() => {
    if (wantsFocus.current === null) return
    opener.current?.focus()
    wantsFocus.current = null
  })
  /** The row that gets the focus after the next rendering; if it is gone, the next one. */
  const focus = (id: string) => {
    const at = rows.findIndex((each) => each.id === id)
    const isThere = at === -1 || draft.value.rows.some((each) => each.id === id)
    wantsFocus.current = isThere ? id : ((rows[at + 1] ?? rows[at - 1])?.id ?? null)
  }
  const hold = (id: string) => {
    const found = draft.value.rows.find((each) => each.id === id)
    held.value = found === undefined ? null : { id, priority: priorityOf(found) }
    focus(id)
  }
  const acts = {
    change: (id: string, now: Parameters<typeof changeRow>[2]) => (draft.value = changeRow(draft.value, id, now)),
    remove: (id: string) => {
      draft.value = removeRow(draft.value, id)
      held.value = null
      focus(id)
    },
    takeBack: (id: string) => {
      draft.value = takeBack(draft.value, id)
      focus(id)
    },
    duplicate: (id: string) => {
      const made = duplicateRow(draft.value, id)
      if (made === null) return say(t.propose.noRoom)
      draft.value = made[0]
      hold(made[1])
    },
    move: (id: string, by: -1 | 1) => {
      draft.value = moveRow(draft.value, id, by)
      if (id === openId) hold(id)
      focus(id)
    },
    open: (id: string | null) => {
      if (id !== null) return hold(id)
      if (openId !== null) focus(openId)
      held.value = null
    },
  }
  const add = () => {
    const [next, id] = addRow(draft.value, { row: freshRow(draft.value, kind.value, vocabulary), comment: '' })
    draft.value = next
    hold(id)
  }
  const blocks = foldRows(rows, (each) => isChanged(each) || each.id === openId || notes.ofRow.has(each.id))
  const item = (each: (typeof rows)[number]) => (
    <RowItem
      key={each.id}
      each={each}
      around={around}
      notes={notes.ofRow.get(each.id) ?? []}
      isOpen={openId === each.id}
      off={off}
      vocabulary={vocabulary}
      acts={acts}
      opener={wantsFocus.current === each.id ? opener : null}
    />
  )
  return (
    <Card
      title={t.propose.rows}
      actions={
        <>
          <span class="caption">{t.propose.first}</span>
          <Button icon="add" off={off} onPress={add}>
            {t.propose.add}
          </Button>
        </>
      }
    >
      <div class="body stack">
        <Segments
          label={t.propose.rows}
          names={KINDS}
          chosen={kind.value}
          words={(each) => `${t.propose.kinds[each]} ${number(rowsOfKind(draft.value, each).length)}`}
          onChoose={(each) => {
            kind.value = each
            held.value = null
          }}
        />
        {notes.others.map((note, at) => (
          <RowNoteLine key={at} note={note} />
        ))}
        <p class="hint">{t.propose.keys}</p>
      </div>
      <ol class="draft-rows">
        {blocks.map((block) =>
          block.is === 'row' ? (
            item(block.row)
          ) : unfolded.value.has(block.key) ? (
            block.rows.map(item)
          ) : (
            <li key={`fold ${block.key}`} class="fold">
              <Button
                kind="bare"
                icon="down"
                onPress={() => {
                  unfolded.value = new Set([...unfolded.value, block.key])
                  focus(block.key)
                }}
              >
                {t.propose.folded(block.rows.length)}
              </Button>
            </li>
          ),
        )}
      </ol>
    </Card>
  )
}

/** A new row. It denies, so that a mistake gives nobody anything. */
const freshRow = (draft: Draft, kind: Kind, { roles }: Vocabulary): TypedRow => {
  const role = roles.find((each) => each === 'editor') ?? roles[0] ?? 'editor'
  if (kind === 'p2') return { ptype: 'p2', role, action: '' }
  if (kind === 'g') return { ptype: 'g', role: '', inherits: 'user' }
  const priorities = rowsOfKind(draft, 'p').flatMap((each) => {
    const { row } = shownOf(each)
    return row.ptype === 'p' && each.now !== null ? row.priority : []
  })
  // before the last row, which denies the rest
  const before = priorities.at(-2) ?? 0
  const priority = priorityAfter(draft, before) ?? Math.min(before + 1, MOST_PRIORITY)
  return { ptype: 'p', priority, rule: 'NEW', role, action: 'link:read', reach: 'any', effect: 'deny' }
}
