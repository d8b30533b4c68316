import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import type { ServiceAction } from '../../../domain/action.js'
import { api } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Field, Options } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { FormProblem, faultsOf } from '../../parts/note'
import { reasonForAny } from '../../parts/service-rights'
import { useOpenedFocus } from '../../parts/focus'
import { SCOPE_GROUPS } from './scopes'

export type MadeToken = Awaited<ReturnType<typeof api.createPersonalToken>>

const LIVES_DAYS = [7, 30, 90, 365] as const
const DAY_S = 86_400

/** Purpose, scopes and lifetime of a new token. */
export const NewTokenForm = ({
  onMade,
  onCancel,
}: {
  readonly onMade: (token: MadeToken) => unknown
  readonly onCancel: () => unknown
}) => {
  const chosen = useSignal<ReadonlySet<ServiceAction>>(new Set())
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const faultId = useId()

  const turn = (scope: ServiceAction) => {
    const scopes = new Set(chosen.value)
    if (!scopes.delete(scope)) scopes.add(scope)
    chosen.value = scopes
  }
  const make = (form: HTMLFormElement) =>
    attempt(async () =>
      onMade(
        await api.createPersonalToken({
          name: textOf(form, 'name'),
          scopes: [...chosen.value],
          expires_in: Number(textOf(form, 'days')) * DAY_S,
        }),
      ),
    )

  return (
    <form ref={useOpenedFocus<HTMLFormElement>()} class="stack new-token" onSubmit={handleSubmit(make)}>
      <FormProblem problem={problem.value} />
      <div class="fields">
        <Field label={t.settings.tokens.name} fault={faults['name']}>
          {(names) => (
            <input
              {...names}
              name="name"
              autocomplete="off"
              maxLength={100}
              required
              placeholder={t.settings.tokens.namePlaceholder}
            />
          )}
        </Field>
        <Field label={t.settings.tokens.ends} fault={faults['expires_in']}>
          {(names) => (
            <select {...names} name="days">
              <Options names={LIVES_DAYS} words={t.settings.tokens.days} chosen={30} />
            </select>
          )}
        </Field>
      </div>
      <fieldset class="field" aria-describedby={faults['scopes'] === undefined ? undefined : faultId}>
        <legend>{t.settings.tokens.may}</legend>
        <div class="scopes">
          {SCOPE_GROUPS.map(({ about, scopes }) => (
            <div key={about} role="group" aria-label={t.settings.about[about]}>
              <div class="caption">{t.settings.about[about]}</div>
              {scopes.map((scope) => (
                <ScopeChoice
                  key={scope}
                  scope={scope}
                  isChosen={chosen.value.has(scope)}
                  off={reasonForAny(scope)}
                  onTurn={() => turn(scope)}
                />
              ))}
            </div>
          ))}
        </div>
        {faults['scopes'] !== undefined && (
          <p class="fault" id={faultId} role="alert">
            {faults['scopes']}
          </p>
        )}
        <p class="hint">{t.settings.tokens.mayHint}</p>
      </fieldset>
      <div class="row">
        <Button kind="main" type="submit" busy={busy.value}>
          {busy.value ? t.settings.tokens.making : t.settings.tokens.make}
        </Button>
        <Button onPress={onCancel}>{t.cancel}</Button>
      </div>
    </form>
  )
}

/** A scope; one that the role never allows is disabled, with the reason. */
const ScopeChoice = ({
  scope,
  isChosen,
  off,
  onTurn,
}: {
  readonly scope: ServiceAction
  readonly isChosen: boolean
  readonly off: string | null
  readonly onTurn: () => unknown
}) => {
  const id = useId()
  const reasonId = `${id}-reason`
  return (
    <div class="choice">
      <input
        id={id}
        type="checkbox"
        checked={isChosen}
        aria-disabled={off !== null || undefined}
        aria-describedby={off === null ? undefined : reasonId}
        onClick={(event) => {
          if (off !== null) event.preventDefault()
        }}
        onChange={() => void onTurn()}
      />
      <label for={id}>
        {t.settings.scopes[scope]}
        {off !== null && (
          <span class="reason" id={reasonId}>
            {off}
          </span>
        )}
      </label>
    </div>
  )
}
