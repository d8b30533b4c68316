import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

import { api } from '../../api'
import type { LinkgateProblem, ManagedLink, ManyLinks, ManyLinksDone } from '../../api'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import type { InputNames } from '../../parts/field'
import { fromLocal, tagsIn } from '../../parts/link-fields'
import { problemIn } from '../../parts/loaded'
import { Note, ProblemNote } from '../../parts/note'
import { reasonOf } from '../../parts/rights'
import { textOf } from '../../parts/sign-in-form'
import { say } from '../../parts/toast'
import type { LinkRights } from './use-rights'

/** Items in one request. */
const AT_ONCE = 1_000

/** Changes many links, and answers what became of each, in their order. */
const changeAll = async (change: ManyLinks): Promise<ManyLinksDone['results']> => {
  const results: ManyLinksDone['results'] = []
  for (let from = 0; from < change.items.length; from += AT_ONCE) {
    const part = { ...change, items: change.items.slice(from, from + AT_ONCE) } as ManyLinks
    results.push(...(await api.changeManyLinks(part)).results)
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

/** What can be done to all selected links at once; it says which of them will be left out, and by which rule. */
export const BulkBar = ({ selected, rightsOf, onDeleted, onChanged, onClear }: BulkBarProps) => {
  const asks = useSignal<'tags' | 'end' | null>(null)
  const isBusy = useSignal(false)
  const problem = useSignal<LinkgateProblem | null>(null)
  const refused = useSignal<string | null>(null)

  const reasonFor = (action: string, { code }: ManagedLink) => reasonOf(rightsOf(code)?.[action])
  const allowed = (action: string) => selected.filter((link) => reasonFor(action, link) === null)
  const deletable = allowed('link:delete')
  const changeable = allowed('link:update')
  const leftOut = selected.filter((link) => reasonFor('link:delete', link) !== null)

  const run = async (links: readonly ManagedLink[], change: ManyLinks) => {
    isBusy.value = true
    problem.value = null
    refused.value = null
    try {
      const results = await changeAll(change)
      const done = results.filter(({ status }) => status < 300)
      const names = new Set(done.flatMap(({ index }) => links[index]?.id ?? []))
      if (change.operation === 'delete') {
        onDeleted(names)
        say(t.links.deleted(done.length))
      } else {
        onChanged(new Map(done.flatMap(({ link }) => (isManaged(link) ? [[link.id, link] as const] : []))))
        say(t.links.changed(done.length))
      }
      const first = results.find(({ status }) => status >= 300)
      const why = first?.problem?.['detail'] ?? first?.problem?.['title']
      if (first !== undefined) refused.value = t.links.refused(results.length - done.length, String(why))
      asks.value = null
    } catch (error) {
      problem.value = problemIn(error)
    } finally {
      isBusy.value = false
    }
  }
  const update = (changesOf: (link: ManagedLink) => object) =>
    run(changeable, { operation: 'update', items: changeable.map((link) => ({ link: link.code, ...changesOf(link) })) })
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
            busy={isBusy.value}
            off={noneOf('link:update', changeable)}
            onPress={() => update(() => ({ active: false }))}
          >
            {t.links.pause}
          </Button>
        )}
        {selected.some(({ active }) => !active) && (
          <Button
            icon="play"
            busy={isBusy.value}
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
          busy={isBusy.value}
          off={noneOf('link:delete', deletable)}
          onPress={() => run(deletable, { operation: 'delete', items: deletable.map(({ code }) => ({ link: code })) })}
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
      {refused.value !== null && <Note kind="deny" title={refused.value} />}
      {asks.value === 'tags' && (
        <Ask
          title={t.links.tagDialog.title(changeable.length)}
          label={t.links.tagDialog.label}
          action={t.links.tagDialog.add}
          problem={problem.value}
          isBusy={isBusy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(text) => update(({ tags }) => ({ tags: [...new Set([...tags, ...tagsIn(text)])] }))}
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
          isBusy={isBusy.value}
          onClose={() => (asks.value = null)}
          onAnswer={(text) => update(() => ({ expires_at: fromLocal(text) }))}
        >
          {(names) => <input {...names} name="answer" type="datetime-local" required />}
        </Ask>
      )}
    </div>
  )
}

const isManaged = (link: ManyLinksDone['results'][number]['link']): link is ManagedLink => link?.id !== undefined

/** A dialog with one field. */
const Ask = ({
  title,
  label,
  action,
  problem,
  isBusy,
  onClose,
  onAnswer,
  children,
}: {
  readonly title: string
  readonly label: string
  readonly action: string
  readonly problem: LinkgateProblem | null
  readonly isBusy: boolean
  readonly onClose: () => unknown
  readonly onAnswer: (text: string) => unknown
  readonly children: (names: InputNames) => ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void onAnswer(textOf(event.currentTarget, 'answer'))
      }}
    >
      {problem !== null && <ProblemNote problem={problem} />}
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
