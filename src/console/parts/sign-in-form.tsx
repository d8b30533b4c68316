import { useEffect, useRef } from 'preact/hooks'

import { t } from '../language/language'
import { signIn } from '../session'
import { useAttempt } from './attempt'
import { Button } from './button'
import { Field } from './field'
import { handleSubmit, textOf } from './form'
import { Note, ProblemNote } from './note'
import { PasswordField } from './password-field'

/** Address and password. */
export const SignInForm = ({ email = '' }: { readonly email?: string }) => {
  const { busy, problem, attempt } = useAttempt()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>(email === '' ? '[name=email]' : '[name=password]')?.focus()
  }, [])
  const submit = async (form: HTMLFormElement) => {
    if (await attempt(() => signIn({ email: textOf(form, 'email'), password: textOf(form, 'password') }))) return
    const field = form.elements.namedItem('password')
    if (field instanceof HTMLInputElement) field.select()
  }
  return (
    <form ref={form} class="stack" onSubmit={handleSubmit((form) => !busy.value && submit(form))}>
      {problem.value?.code === 'invalid_grant' ? (
        <Note kind="deny" title={t.door.wrong} />
      ) : (
        <ProblemNote problem={problem.value} />
      )}
      <Field label={t.door.email}>
        {(names) => (
          <input {...names} name="email" type="email" autocomplete="username" required defaultValue={email} />
        )}
      </Field>
      <PasswordField label={t.door.password} name="password" autocomplete="current-password" />
      <Button kind="main" type="submit" wide busy={busy.value}>
        {busy.value ? t.door.signingIn : t.door.signIn}
      </Button>
    </form>
  )
}
