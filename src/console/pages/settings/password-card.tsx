import { useSignal } from '@preact/signals'

import { api, type Profile } from '../../api'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { Choice } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { FormProblem, faultsOf } from '../../parts/note'
import { PasswordField } from '../../parts/password-field'
import { say } from '../../parts/toast'

/** A new password, with the current one. */
export const PasswordCard = ({ profile }: { readonly profile: Profile }) => {
  const endsTokens = useSignal(false)
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const change = async (form: HTMLFormElement) => {
    const isDone = await attempt(() =>
      api.updateProfile({
        current_password: textOf(form, 'current_password'),
        password: textOf(form, 'password'),
        end_tokens: endsTokens.value,
      }),
    )
    if (!isDone) return
    form.reset()
    endsTokens.value = false
    say(t.settings.password.changed)
  }
  return (
    <Card title={t.settings.password.title}>
      <form class="body stack" onSubmit={handleSubmit(change)}>
        <FormProblem problem={problem.value} />
        {/* the account, for password managers */}
        <input type="text" name="username" autocomplete="username" value={profile.email} readOnly hidden />
        <div class="fields">
          <PasswordField
            label={t.settings.profile.currentPassword}
            name="current_password"
            autocomplete="current-password"
            fault={faults['current_password']}
          />
          <PasswordField
            label={t.settings.password.next}
            name="password"
            autocomplete="new-password"
            hint={t.settings.password.nextHint}
            fault={faults['password']}
          />
        </div>
        <Choice
          label={t.settings.password.endTokens}
          checked={endsTokens.value}
          onChange={(is) => (endsTokens.value = is)}
        />
        <div class="row">
          <Button type="submit" busy={busy.value}>
            {busy.value ? t.saving : t.settings.password.change}
          </Button>
          <span class="caption">{t.settings.password.hint}</span>
        </div>
      </form>
    </Card>
  )
}
