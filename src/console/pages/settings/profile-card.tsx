import { useSignal } from '@preact/signals'

import { api, type Profile } from '../../api'
import { issuerHost, signInWay } from '../../issuer'
import { t } from '../../language/language'
import { loadMe, me } from '../../me'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { Fact } from '../../parts/fact'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { FormProblem, Note, faultsOf } from '../../parts/note'
import { PasswordField } from '../../parts/password-field'
import { useOpenedFocus } from '../../parts/focus'
import { say } from '../../parts/toast'
import { changeAddress } from '../../change-address'

/** Name, role and address. */
export const ProfileCard = ({ profile }: { readonly profile: Profile }) => {
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const rename = (form: HTMLFormElement) =>
    attempt(async () => {
      me.value = await api.updateProfile({ name: textOf(form, 'name') })
      say(t.settings.profile.saved)
    })
  return (
    <Card title={t.settings.profile.title}>
      <div class="body stack">
        <FormProblem problem={problem.value} />
        <form class="with-button" onSubmit={handleSubmit(rename)}>
          <Field label={t.settings.profile.name} fault={faults['name']}>
            {(names) => (
              <input {...names} name="name" autocomplete="name" maxLength={200} required defaultValue={profile.name} />
            )}
          </Field>
          <Button type="submit" busy={busy.value}>
            {busy.value ? t.saving : t.save}
          </Button>
        </form>
        <dl class="facts">
          <Fact name={t.settings.profile.role}>
            {profile.role} <span class="caption">{t.settings.profile.roleHint}</span>
          </Fact>
          <Fact name={t.settings.profile.email}>{profile.email}</Fact>
        </dl>
        {signInWay === 'password' ? (
          <Address profile={profile} />
        ) : (
          <p class="hint">{t.settings.profile.atIssuer(issuerHost())}</p>
        )}
      </div>
    </Card>
  )
}

/** Folded until the user opens it. */
const Address = ({ profile }: { readonly profile: Profile }) => {
  const isOpen = useSignal(false)
  const asked = useSignal<string | null>(null)
  return (
    <>
      {asked.value !== null && <Note kind="allow" title={t.settings.profile.asked(asked.value)} />}
      <div class="row">
        <Button icon="edit" expanded={isOpen.value} onPress={() => (isOpen.value = !isOpen.value)}>
          {t.settings.profile.changeEmail}
        </Button>
      </div>
      {isOpen.value && (
        <AddressForm
          profile={profile}
          onAsked={(email) => (asked.value = email)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  )
}

const AddressForm = ({
  profile,
  onAsked,
  onClose,
}: {
  readonly profile: Profile
  /** called with an address that waits for confirmation */
  readonly onAsked: (email: string) => unknown
  readonly onClose: () => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const change = (form: HTMLFormElement) =>
    attempt(async () => {
      const email = textOf(form, 'email').trim()
      const outcome = await changeAddress(profile, { email, currentPassword: textOf(form, 'current_password') })
      if (outcome === 'asked') onAsked(email)
      else {
        say(t.settings.profile.set(email))
        await loadMe()
      }
      onClose()
    })
  return (
    <form ref={useOpenedFocus<HTMLFormElement>()} class="stack" onSubmit={handleSubmit(change)}>
      <FormProblem problem={problem.value} />
      <Field label={t.settings.profile.newEmail} hint={t.settings.profile.newEmailHint} fault={faults['email']}>
        {(names) => <input {...names} name="email" type="email" autocomplete="email" maxLength={254} required />}
      </Field>
      <PasswordField
        label={t.settings.profile.currentPassword}
        name="current_password"
        autocomplete="current-password"
        fault={faults['current_password']}
      />
      <div class="row">
        <Button kind="main" type="submit" busy={busy.value}>
          {busy.value ? t.saving : t.settings.profile.ask}
        </Button>
        <Button onPress={onClose}>{t.cancel}</Button>
      </div>
    </form>
  )
}
