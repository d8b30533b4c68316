import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

import { api } from '../api'
import { t } from '../language/language'
import { useAttempt } from './attempt'
import { Button } from './button'
import { Field, Options } from './field'
import { handleSubmit, textOf } from './form'
import { FormProblem, faultsOf } from './note'
import { useRoles } from './roles'
import { SecretField } from './secret-field'

type Invitation = Awaited<ReturnType<typeof api.inviteUser>>

/** Invites a person. Only one response contains the link, so it stays here until the next invitation. */
export const InviteForm = ({
  off,
  onMade = () => undefined,
}: {
  readonly off: string | null
  readonly onMade?: () => unknown
}) => {
  const roles = useRoles()
  const made = useSignal<Invitation | null>(null)
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const place = useRef<HTMLDivElement>(null)
  /** what was pressed is gone: the link gets the focus, or the empty form */
  const show = (invitation: Invitation | null) => {
    made.value = invitation
    requestAnimationFrame(() => place.current?.querySelector('input')?.focus())
  }
  const invite = (form: HTMLFormElement) =>
    attempt(async () => {
      show(await api.inviteUser({ email: textOf(form, 'email').trim(), role: textOf(form, 'role') }))
      void onMade()
    })

  if (made.value !== null) {
    const { email, url, expires_at: until } = made.value
    return (
      <div ref={place} class="stack">
        <SecretField label={t.welcome.invite.made(email)} hint={t.welcome.invite.madeHint(until)} text={url}>
          <Button kind="bare" onPress={() => show(null)}>
            {t.welcome.invite.another}
          </Button>
        </SecretField>
      </div>
    )
  }
  return (
    <form class="stack" onSubmit={handleSubmit((form) => off === null && invite(form))}>
      <FormProblem problem={problem.value} />
      <div ref={place} class="fields">
        <Field label={t.welcome.invite.email} fault={faults['email']}>
          {(names) => <input {...names} name="email" type="email" autocomplete="off" maxLength={254} required />}
        </Field>
        <Field label={t.welcome.invite.role} fault={faults['role']}>
          {(names) => (
            <select {...names} name="role">
              <Options names={roles} chosen="editor" />
            </select>
          )}
        </Field>
      </div>
      <div class="row">
        <Button type="submit" busy={busy.value} off={off}>
          {busy.value ? t.welcome.invite.inviting : t.welcome.invite.invite}
        </Button>
      </div>
    </form>
  )
}
