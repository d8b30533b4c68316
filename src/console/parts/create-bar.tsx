import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { api, type ManagedLink } from '../api'
import { t } from '../language/language'
import { useAttempt } from './attempt'
import { Button } from './button'
import type { Wanted } from './codes-like'
import { CopyButton } from './copy-button'
import { handleSubmit, textOf } from './form'
import { Icon } from './icon'
import { late } from './late'
import { FormProblem, faultsOf } from './note'
import { say } from './toast'

/** Everything but the target. */
const { part: others, load: loadOthers } = late(() => import('./link-fields'))

/** One field and Enter create a link; everything else unfolds. What was typed stays until the link is created. */
export const CreateBar = ({
  made,
  onMade,
  off,
}: {
  /** the link that was made last, while it is shown */
  readonly made: Signal<ManagedLink | null>
  readonly onMade: (link: ManagedLink) => void
  readonly off: string | null
}) => {
  const form = useRef<HTMLFormElement>(null)
  const isOpen = useSignal(false)
  const { busy, problem, attempt } = useAttempt()
  /** the link of the last attempt, if it was to have a code of its own */
  const wanted = useSignal<Wanted | null>(null)
  /** from their first opening on the other fields stay: folded again, they keep what was typed, and it counts */
  const hasFields = useSignal(false)
  /** a new key for them, which empties them: the reset of a form leaves choices and the status as they were */
  const turn = useSignal(0)
  const faults = faultsOf(problem.value)
  const Fields = others.value?.LinkFields
  const isTaken = problem.value?.code === 'code_taken'

  useEffect(() => {
    void loadOthers()
  }, [])
  const setOpen = async (is: boolean) => {
    if (is) await loadOthers()
    if (is && others.value === null) return say(t.notLoaded.why)
    isOpen.value = is
    if (is) hasFields.value = true
  }

  const create = async (filled: HTMLFormElement) => {
    // an incomplete date would be sent as none
    const halfTyped = [...filled.querySelectorAll('input')].find(({ validity }) => validity.badInput)
    if (halfTyped !== undefined) {
      isOpen.value = true
      requestAnimationFrame(() => halfTyped.reportValidity())
      return
    }
    made.value = null
    const isMade = await attempt(async () => {
      const { code, password, ...fields } =
        hasFields.value && others.value !== null ? others.value.readLinkFields(filled) : EMPTY
      const target = textOf(filled, 'target').trim()
      wanted.value = code === null ? null : { code, target, ...fields }
      const link = await api.createLink({
        target,
        ...fields,
        ...(code === null ? {} : { code }),
        ...(password === undefined ? {} : { password }),
      })
      made.value = link
      filled.reset()
      isOpen.value = false
      hasFields.value = false
      onMade(link)
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('.made button')?.focus())
    })
    if (isMade) return
    // a folded field cannot show its fault
    if (problem.value?.errors.some(({ field }) => field !== 'target')) await setOpen(true)
    requestAnimationFrame(() => {
      const faulty = filled.querySelector<HTMLElement>('[aria-invalid=true]')
      ;(faulty ?? filled.querySelector<HTMLElement>('[name=target]'))?.focus()
    })
  }

  return (
    <form
      ref={form}
      class="card create"
      noValidate
      onSubmit={handleSubmit((filled) => !busy.value && off === null && create(filled))}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.reset()
        hasFields.value = isOpen.value
        turn.value += 1
        problem.value = null
        made.value = null
        // what had the focus may be gone
        currentTarget.querySelector<HTMLInputElement>('[name=target]')?.focus()
      }}
    >
      <div class="create-line">
        <Icon name="add" />
        <input
          name="target"
          type="url"
          inputMode="url"
          autocomplete="off"
          aria-label={t.links.target}
          placeholder={t.links.placeholder}
          aria-invalid={faults['target'] !== undefined || undefined}
          aria-describedby={faults['target'] === undefined ? undefined : 'target-fault'}
          maxLength={2_048}
          required
        />
        <button type="button" class="button bare" aria-expanded={isOpen.value} onClick={() => setOpen(!isOpen.value)}>
          <Icon name="options" />
          <span class="wide-only">{t.links.options}</span>
        </button>
        <Button kind="main" type="submit" busy={busy.value} off={off}>
          {busy.value ? t.links.creating : t.links.create}
        </Button>
      </div>
      {faults['target'] !== undefined && (
        <p class="fault" id="target-fault" role="alert">
          {faults['target']}
        </p>
      )}
      <FormProblem problem={problem.value} />
      {hasFields.value && Fields !== undefined && (
        <div class="fold" hidden={!isOpen.value}>
          <Fields key={turn.value} faults={faults} taken={isTaken ? wanted.value : null} />
        </div>
      )}
      {made.value !== null && (
        <p class="made row">
          {/* without the button beside it, which says for itself what it did */}
          <span class="row" role="status">
            <Icon name="check" />
            <a href={made.value.url} target="_blank" rel="noopener">
              {made.value.url.replace(/^https?:\/\//, '')}
            </a>
          </span>
          <CopyButton text={made.value.url} label={t.links.copyOne(made.value.url)} />
          <a class="button bare" href={`/console/links/${made.value.code}`}>
            {t.links.details}
          </a>
        </p>
      )}
    </form>
  )
}

const EMPTY = { code: null, title: null, tags: [], password: undefined }
