import { useSignal } from '@preact/signals'

import { api, type ManagedLink, type ManyLinksDone } from '../../api'
import { refusalOf } from '../../language/fault-words'
import { t } from '../../language/language'
import { Ask } from '../../parts/ask'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { trashDays, useDeletion } from '../../parts/delete-dialog'
import { tagsIn, textOf } from '../../parts/form'
import { hintOfEnd } from '../../parts/hint-of-end'
import { useKeptFocus, useLeftFocus } from '../../parts/focus'
import { LOCAL_TIME, fromLocal } from '../../parts/local-time'
import { Note, ProblemNote } from '../../parts/note'
import { linkReasonOf } from '../../parts/rights'
import { say } from '../../parts/toast'
import type { LinkRights } from '../../parts/use-link-rights'
import { changeMany } from './change-many'

interface BulkBarProps {
  readonly selected: readonly ManagedLink[]
  readonly rightsOf: (code: string) => LinkRights | undefined
  readonly onDeleted: (ids: ReadonlySet<string>) => unknown
  readonly onChanged: (links: readonly ManagedLink[]) => unknown
  readonly onClear: () => unknown
}

/** With its id: nothing happens to another link that got the code since the list was loaded. */
const named = ({ code, id }: ManagedLink) => ({ link: code, id })

/** The actions on all selected links; shows which of them will be left out, and by which rule. */
export const BulkBar = ({ selected, rightsOf, onDeleted, onChanged, onClear }: BulkBarProps) => {
  const asks = useSignal<'tags' | 'end' | null>(null)
  /** as it is typed */
  const end = useSignal('')
  const { busy, problem, attempt } = useAttempt()
  const refusal = useSignal<string | null>(null)

  const reasonFor = (action: string, { code }: ManagedLink) => linkReasonOf(rightsOf(code)?.[action])
  const allowed = (action: string) => selected.filter((link) => reasonFor(action, link) === null)
  const deletable = allowed('link:delete')
  const changeable = allowed('link:update')
  const leftOut = selected.filter((link) => reasonFor('link:delete', link) !== null)

  /** Shows what was done, also before an error; then how many items were refused, with the first reason. */
  const changeAll = <Item extends object>(
    items: readonly Item[],
    send: (part: Item[]) => Promise<ManyLinksDone>,
    show: (done: readonly ManyLinksDone['results'][number][]) => unknown,
  ) =>
    attempt(async () => {
      refusal.value = null
      const { done, refused, problem: stopped } = await changeMany(items, send)
      if (done.length > 0) show(done)
      const [first] = refused
      if (first !== undefined)
        refusal.value = t.links.refused(refused.length, t.problem(refusalOf(first.status, first.problem ?? {})))
      if (stopped !== null) throw stopped
      // what was typed stays if it changed nothing
      if (done.length > 0) asks.value = null
    })
  const remove = () =>
    changeAll(
      deletable.map(named),
      (items) => api.changeManyLinks({ operation: 'delete', items }),
      (done) => {
        onDeleted(new Set(done.flatMap(({ index }) => deletable[index]?.id ?? [])))
        say(trashDays > 0 ? t.links.deleted(done.length, trashDays) : t.links.forGood.done)
      },
    )
  const deletion = useDeletion()
  const update = (changesOf: (link: ManagedLink) => object) =>
    changeAll(
      changeable.map((link) => ({ ...named(link), ...changesOf(link) })),
      (items) => api.changeManyLinks({ operation: 'update', items }),
      (done) => {
        onChanged(done.flatMap(({ link }) => link ?? []))
        say(t.links.changed(done.length))
      },
    )
  const noneOf = (action: string, links: readonly ManagedLink[]): string | null => {
    const [first] = selected
    return links.length > 0 || first === undefined ? null : reasonFor(action, first)
  }

  const askEnd = () => {
    end.value = ''
    asks.value = 'end'
  }
  const updateOff = noneOf('link:update', changeable)
  const refused = refusal.value !== null && <Note kind="deny" title={refusal.value} />
  return (
    <div ref={useLeftFocus<HTMLDivElement>()} class="bulk" role="group" aria-label={t.links.selected(selected.length)}>
      <strong>{t.links.selected(selected.length)}</strong>
      <span class="row push" {...useKeptFocus<HTMLSpanElement>()}>
        <Button icon="tag" off={updateOff} onPress={() => (asks.value = 'tags')}>
          {t.links.tag}
        </Button>
        {[true, false].map(
          (is) =>
            selected.some(({ active }) => active === is) && (
              <Button
                key={String(is)}
                icon={is ? 'pause' : 'play'}
                busy={busy.value}
                off={updateOff}
                onPress={() => update(() => ({ active: !is }))}
              >
                {is ? t.links.pause : t.links.resume}
              </Button>
            ),
        )}
        <Button icon="clock" off={updateOff} onPress={askEnd}>
          {t.links.setEnd}
        </Button>
        <Button
          kind="risk"
          icon="trash"
          busy={busy.value}
          off={noneOf('link:delete', deletable)}
          onPress={() => deletion.remove(deletable.length, remove)}
        >
          {t.links.deleteMany(deletable.length)}
        </Button>
        <Button kind="bare" onPress={onClear}>
          {t.links.clear}
        </Button>
      </span>
      {leftOut[0] !== undefined && deletable.length > 0 && (
        <p class="reason whole">{t.links.leftOut(leftOut.length, reasonFor('link:delete', leftOut[0]) ?? '')}</p>
      )}
      {asks.value === null && <ProblemNote problem={problem.value} />}
      {asks.value === null && refused}
      {deletion.dialog}
      {asks.value === 'tags' && (
        <Ask
          title={t.links.tagDialog.title(changeable.length)}
          label={t.links.tagDialog.label}
          action={t.links.tagDialog.add}
          problem={problem.value}
          note={refused}
          isBusy={busy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(form) =>
            // if_match: the tags are those of the list, which somebody may have changed meanwhile
            update(({ tags, etag }) => ({
              tags: [...new Set([...tags, ...tagsIn(textOf(form, 'answer'))])],
              if_match: etag,
            }))
          }
        >
          {(names) => <input {...names} name="answer" required />}
        </Ask>
      )}
      {asks.value === 'end' && (
        <Ask
          title={t.links.endDialog.title(changeable.length)}
          label={t.links.endDialog.label}
          hint={hintOfEnd(end.value)}
          action={t.links.setEnd}
          problem={problem.value}
          note={refused}
          isBusy={busy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(form) => update(() => ({ expires_at: fromLocal(textOf(form, 'answer')) }))}
        >
          {(names) => (
            <input
              {...names}
              {...LOCAL_TIME}
              name="answer"
              required
              onInput={({ currentTarget }) => (end.value = currentTarget.value)}
            />
          )}
        </Ask>
      )}
    </div>
  )
}
