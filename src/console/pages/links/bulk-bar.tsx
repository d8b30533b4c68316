import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

import { api } from '../../api'
import type { LinkgateProblem, ManagedLink, ManyLinks, ManyLinksDone } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { hasTrash, useDeletion } from '../../parts/delete-dialog'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import type { InputNames } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { tagsIn } from '../../parts/link-fields'
import { LOCAL_TIME, fromLocal } from '../../parts/local-time'
import { Note, ProblemNote } from '../../parts/note'
import { linkReasonOf } from '../../parts/rights'
import { say } from '../../parts/toast'
import type { LinkRights } from '../../parts/use-link-rights'

/** The most items in one request. */
const AT_ONCE = 1_000

/** Changes links in requests of the largest size, and resolves with the results in order. */
const changeAll = async (
  links: readonly ManagedLink[],
  changeOf: (part: readonly ManagedLink[]) => ManyLinks,
): Promise<ManyLinksDone['results']> => {
  const results: ManyLinksDone['results'] = []
  for (let from = 0; from < links.length; from += AT_ONCE) {
    const done = await api.changeManyLinks(changeOf(links.slice(from, from + AT_ONCE)))
    results.push(...done.results.map((result) => ({ ...result, index: result.index + from })))
  }
  return results
}

interface BulkBarProps {
  readonly selected: readonly ManagedLink[]
  readonly rightsOf: (code: string) => LinkRights | undefined
  readonly onDeleted: (ids: ReadonlySet<string>) => unknown
  readonly onChanged: (links: ReadonlyMap<string, ManagedLink>) => unknown
  readonly onClear: () => unknown
}

/** The actions on all selected links; shows which of them will be left out, and by which rule. */
export const BulkBar = ({ selected, rightsOf, onDeleted, onChanged, onClear }: BulkBarProps) => {
  const asks = useSignal<'tags' | 'end' | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const refused = useSignal<string | null>(null)

  const reasonFor = (action: string, { code }: ManagedLink) => linkReasonOf(rightsOf(code)?.[action])
  const allowed = (action: string) => selected.filter((link) => reasonFor(action, link) === null)
  const deletable = allowed('link:delete')
  const changeable = allowed('link:update')
  const leftOut = selected.filter((link) => reasonFor('link:delete', link) !== null)

  /** Reports the number of refused items, and the first reason. */
  const attemptAll = (work: () => Promise<ManyLinksDone['results']>) =>
    attempt(async () => {
      refused.value = null
      const results = await work()
      const failed = results.filter((result) => !isDone(result))
      const first = failed[0]?.problem
      const why = [first?.['title'], first?.['detail']].filter((text) => typeof text === 'string').join('. ')
      if (failed.length > 0) refused.value = t.links.refused(failed.length, why)
      // what was typed stays where it changed nothing
      if (failed.length < results.length) asks.value = null
    })
  const remove = () =>
    attemptAll(async () => {
      const results = await changeAll(deletable, (part) => ({
        operation: 'delete',
        items: part.map(({ code }) => ({ link: code })),
      }))
      const done = results.filter(isDone)
      onDeleted(new Set(done.flatMap(({ index }) => deletable[index]?.id ?? [])))
      if (done.length > 0) say(hasTrash ? t.links.deleted(done.length) : t.links.forGood.done)
      return results
    })
  const deletion = useDeletion()
  const update = (changesOf: (link: ManagedLink) => object) =>
    attemptAll(async () => {
      const results = await changeAll(changeable, (part) => ({
        operation: 'update',
        items: part.map((link) => ({ link: link.code, ...changesOf(link) })),
      }))
      const done = results.filter(isDone)
      onChanged(new Map(done.flatMap(({ link }) => (isManaged(link) ? [[link.id, link] as const] : []))))
      if (done.length > 0) say(t.links.changed(done.length))
      return results
    })
  const noneOf = (action: string, links: readonly ManagedLink[]): string | null => {
    const [first] = selected
    return links.length > 0 || first === undefined ? null : reasonFor(action, first)
  }

  return (
    <div class="bulk" role="group" aria-label={t.links.selected(selected.length)}>
      <strong>{t.links.selected(selected.length)}</strong>
      <span class="row push">
        <Button icon="tag" off={noneOf('link:update', changeable)} onPress={() => (asks.value = 'tags')}>
          {t.links.addTag}
        </Button>
        {selected.some(({ active }) => active) && (
          <Button
            icon="pause"
            busy={busy.value}
            off={noneOf('link:update', changeable)}
            onPress={() => update(() => ({ active: false }))}
          >
            {t.links.pause}
          </Button>
        )}
        {selected.some(({ active }) => !active) && (
          <Button
            icon="play"
            busy={busy.value}
            off={noneOf('link:update', changeable)}
            onPress={() => update(() => ({ active: true }))}
          >
            {t.links.resume}
          </Button>
        )}
        <Button icon="clock" off={noneOf('link:update', changeable)} onPress={() => (asks.value = 'end')}>
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
      {problem.value !== null && asks.value === null && <ProblemNote problem={problem.value} />}
      {refused.value !== null && asks.value === null && <Note kind="deny" title={refused.value} />}
      {deletion.dialog}
      {asks.value === 'tags' && (
        <Ask
          title={t.links.tagDialog.title(changeable.length)}
          label={t.links.tagDialog.label}
          action={t.links.tagDialog.add}
          problem={problem.value}
          refused={refused.value}
          isBusy={busy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(text) =>
            // if_match: the tags are those of the list, which somebody may have changed meanwhile
            update(({ tags, etag }) => ({ tags: [...new Set([...tags, ...tagsIn(text)])], if_match: etag }))
          }
        >
          {(names) => <input {...names} name="answer" required />}
        </Ask>
      )}
      {asks.value === 'end' && (
        <Ask
          title={t.links.endDialog.title(changeable.length)}
          label={t.links.endDialog.label}
          action={t.links.setEnd}
          problem={problem.value}
          refused={refused.value}
          isBusy={busy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(text) => update(() => ({ expires_at: fromLocal(text) }))}
        >
          {(names) => <input {...names} {...LOCAL_TIME} name="answer" required />}
        </Ask>
      )}
    </div>
  )
}

const isDone = ({ status }: ManyLinksDone['results'][number]): boolean => status < 300

const isManaged = (link: ManyLinksDone['results'][number]['link']): link is ManagedLink => link?.id !== undefined

/** A dialog with one field. */
const Ask = ({
  title,
  label,
  action,
  problem,
  refused,
  isBusy,
  onClose,
  onAnswer,
  children,
}: {
  readonly title: string
  readonly label: string
  readonly action: string
  readonly problem: LinkgateProblem | null
  /** why nothing was changed */
  readonly refused: string | null
  readonly isBusy: boolean
  readonly onClose: () => unknown
  readonly onAnswer: (text: string) => unknown
  readonly children: (names: InputNames) => ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    <form class="stack" onSubmit={handleSubmit((form) => onAnswer(textOf(form, 'answer')))}>
      {problem !== null && <ProblemNote problem={problem} />}
      {refused !== null && <Note kind="deny" title={refused} />}
      <Field label={label}>{children}</Field>
      <div class="row">
        <Button kind="main" type="submit" busy={isBusy}>
          {action}
        </Button>
        <Button onPress={onClose}>{t.cancel}</Button>
      </div>
    </form>
  </Dialog>
)
