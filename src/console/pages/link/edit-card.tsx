import { useSignal } from '@preact/signals'
import type { ComponentProps } from 'preact'

import { api, type LinkgateProblem, type ManagedLink } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import type { Wanted } from '../../parts/codes-like'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { LinkFields, readLinkFields } from '../../parts/link-fields'
import { problemIn } from '../../parts/loaded'
import { FormProblem, faultsOf } from '../../parts/note'
import { useOpenedFocus } from '../../parts/focus'
import { say } from '../../parts/toast'
import { askUnsaved, useUnsaved } from '../../parts/unsaved'
import { changedFields, conflictRows, type Fields } from './changed-fields'
import { ConflictNote } from './conflict-note'
import { isManaged } from '../../parts/is-managed'

/** The initial values of the form, to which its changes are compared. */
interface Start {
  readonly base: ManagedLink
  readonly filled: ManagedLink
  /** as typed; null: removed */
  readonly password: string | null | undefined
  /** a new key for the fields, so that they show new values */
  readonly turn: number
}

/** `password`: null removes it. */
type Changes = Partial<Fields> & { readonly password?: string | null }

const isStale = ({ status, code }: LinkgateProblem): boolean => status === 412 || code === 'conflict'

/**
 * The settings of a link as a form. It sends only changes, and only against the version that it shows: after a
 * concurrent edit, it shows both, and continues from the other one with the typed values.
 */
export const EditCard = ({
  link,
  onChange,
  onClose,
}: {
  readonly link: ManagedLink
  /** called with the current link, saved here or by somebody else */
  readonly onChange: (link: ManagedLink) => unknown
  readonly onClose: () => unknown
}) => {
  const form = useOpenedFocus<HTMLFormElement>()
  const start = useSignal<Start>({ base: link, filled: link, password: undefined, turn: 0 })
  const conflict = useSignal<ComponentProps<typeof ConflictNote> | null>(null)
  const { busy, problem, attempt } = useAttempt()
  /** the link as it was sent last */
  const wanted = useSignal<Wanted | null>(null)

  const changesIn = (filled: HTMLFormElement): Changes => {
    const { code, password, ...fields } = readLinkFields(filled)
    const typed = { ...fields, code: code ?? '', target: textOf(filled, 'target').trim() }
    return { ...changedFields(start.peek().base, typed), ...(password !== undefined && { password }) }
  }

  const badIn = (filled: HTMLFormElement) =>
    [...filled.elements].find((field) => field instanceof HTMLInputElement && field.validity.badInput)

  const question = useUnsaved(() => {
    if (form.current === null) return false
    return Object.keys(changesIn(form.current)).length > 0 || badIn(form.current) !== undefined
  }, onClose)

  const save = async (filled: HTMLFormElement): Promise<unknown> => {
    const bad = badIn(filled)
    // an incomplete date reads as none, which would clear the field
    if (bad instanceof HTMLInputElement) return bad.reportValidity()
    const { base } = start.value
    const changes = changesIn(filled)
    if (Object.keys(changes).length === 0) return onClose()
    wanted.value = { ...base, ...changes }
    return attempt(async () => {
      try {
        onChange(await api.updateLink(base.code, changes, { ifMatch: base }))
        say(t.link.edit.saved)
        onClose()
      } catch (error) {
        if (!isStale(problemIn(error)) || !(await startOver(changes))) throw error
      }
    })
  }

  /**
   * After a concurrent edit: shows both, and starts from the other one, with the typed changes. Resolves with false if
   * the link is no longer visible, or its code belongs to another one.
   */
  const startOver = async (changes: Changes): Promise<boolean> => {
    const { base, turn } = start.value
    const theirs = await api.getLink(base.code)
    if (!isManaged(theirs) || theirs.id !== base.id) return false
    const { password, ...fields } = changes
    const mine = { ...base, ...fields }
    conflict.value = { rows: conflictRows(base, mine, theirs, password !== undefined), mine, theirs }
    start.value = { base: theirs, filled: { ...theirs, ...fields }, password, turn: turn + 1 }
    onChange(theirs)
    return true
  }

  const { filled, password, turn } = start.value
  const isTaken = problem.value?.code === 'code_taken'
  const isLost = problem.value !== null && ([403, 404].includes(problem.value.status) || isStale(problem.value))
  const faults = faultsOf(problem.value)
  return (
    <section class="card whole" aria-labelledby="edit-title">
      <header>
        <h2 id="edit-title">{t.link.edit.title}</h2>
      </header>
      <form ref={form} class="body stack" noValidate onSubmit={handleSubmit((filled) => !busy.value && save(filled))}>
        {conflict.value !== null && <ConflictNote {...conflict.value} />}
        <FormProblem problem={problem.value} />
        {isLost && <p>{t.link.edit.lost}</p>}
        <Field label={t.fields.target} fault={faults['target']} whole>
          {(names) => (
            <input
              {...names}
              key={turn}
              name="target"
              type="url"
              inputMode="url"
              autocomplete="off"
              maxLength={2_048}
              defaultValue={filled.target}
            />
          )}
        </Field>
        <LinkFields
          key={turn}
          link={filled}
          password={password}
          faults={faults}
          taken={isTaken ? wanted.value : null}
        />
        <div class="row">
          <Button kind="main" type="submit" busy={busy.value}>
            {busy.value ? t.saving : t.save}
          </Button>
          <Button onPress={() => askUnsaved(onClose)}>{t.cancel}</Button>
        </div>
      </form>
      {question}
    </section>
  )
}
