import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import type { LinkgateProblem } from '../api'
import { t } from '../language/language'
import { signIn } from '../session'
import { Button } from './button'
import { Field } from './field'
import { problemIn } from './loaded'
import { Note, ProblemNote } from './note'
import { PasswordField } from './password-field'

/** A field of a form that was sent. */
export const textOf = (form: HTMLFormElement, name: string): string => {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

/** Address and password. */
export const SignInForm = ({ email = '' }: { readonly email?: string }) => {
  const problem = useSignal<LinkgateProblem | null>(null)
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>(email === '' ? '[name=email]' : '[name=password]')?.focus()
  }, [])
  const submit = async (form: HTMLFormElement) => {
    isBusy.value = true
    problem.value = null
    try {
      await signIn({ email: textOf(form, 'email'), password: textOf(form, 'password') })
    } catch (error) {
      problem.value = problemIn(error)
      const field = form.elements.namedItem('password')
      if (field instanceof HTMLInputElement) field.select()
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value) void submit(event.currentTarget)
      }}
    >
      {problem.value?.code === 'invalid_grant' ? (
        <Note kind="deny" title={t.door.wrong} />
      ) : (
        problem.value && <ProblemNote problem={problem.value} />
      )}
      <Field label={t.door.email}>
        {(names) => (
          <input {...names} name="email" type="email" autocomplete="username" required defaultValue={email} />
        )}
      </Field>
      <PasswordField label={t.door.password} name="password" autocomplete="current-password" />
      <Button kind="main" type="submit" wide busy={isBusy.value}>
        {isBusy.value ? t.door.signingIn : t.door.signIn}
      </Button>
    </form>
  )
}
