import { useEffect, useRef } from 'preact/hooks'

import { FIRST_ADMIN } from '../../../domain/user.js'
import { api } from '../../api'
import { changeAddress } from '../../change-address'
import { t } from '../../language/language'
import { useAttempt } from '../../parts/attempt'
import { Button } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { Mark } from '../../parts/icon'
import { LoadProblem } from '../../parts/load-problem'
import { problemIn, useLoaded } from '../../parts/loaded'
import { FormProblem, Note, faultsOf } from '../../parts/note'
import { useOpenedFocus } from '../../parts/focus'
import { PasswordField } from '../../parts/password-field'
import { signIn } from '../../session'
import { outcome } from './outcome'

const RESET_LINK = `npx linkgate user reset-link ${FIRST_ADMIN}`

/** The page of a first start's link: choosing a password signs its user in. */
export const ChoosePassword = ({ token, onDone }: { readonly token: string; readonly onDone: () => unknown }) => {
  const loaded = useLoaded((signal) => api.showPasswordReset({ token }, { signal }), [token])
  const { value, problem, busy, again } = loaded
  useEffect(() => {
    document.title = `${t.welcome.choose.title} · Linkgate`
  }, [])
  return (
    <main class="door">
      <Mark />
      <div>
        <h1>{t.welcome.choose.title}</h1>
        {value !== null && <p class="lead">{t.welcome.choose.lead(value.email)}</p>}
        {value === null && busy && <p class="lead">{t.welcome.choose.looking}</p>}
      </div>
      {problem?.status === 410 ? <Over /> : <LoadProblem of={loaded} />}
      {value !== null && problem === null && (
        <PasswordForm token={token} email={value.email} onOver={again} onDone={onDone} />
      )}
    </main>
  )
}

/** A link that was used or has expired. */
const Over = () => (
  <>
    <Note kind="deny" title={t.welcome.choose.over}>
      <p>{t.welcome.choose.overLead}</p>
      <div class="row">
        <code>{RESET_LINK}</code>
        <CopyButton bare text={RESET_LINK} />
      </div>
    </Note>
    <a class="button" href="/console">
      {t.welcome.choose.toSignIn}
    </a>
  </>
)

const PasswordForm = ({
  token,
  email,
  onOver,
  onDone,
}: {
  readonly token: string
  readonly email: string
  /** called if the link ended while the user was typing */
  readonly onOver: () => unknown
  readonly onDone: () => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const faults = faultsOf(problem.value)
  const isFirst = email === FIRST_ADMIN

  /** the link works only once: afterwards, a second press only signs in */
  const chosen = useRef<string | null>(null)

  const enter = (form: HTMLFormElement) =>
    attempt(async () => {
      const password = chosen.current ?? textOf(form, 'password')
      if (chosen.current === null) {
        await api.resetPassword({ token, password }).catch((error: unknown) => {
          if (problemIn(error).status === 410) onOver()
          throw error
        })
        chosen.current = password
      }
      await signIn({ email, password })
      if (isFirst) await introduce(textOf(form, 'name').trim(), textOf(form, 'email').trim(), password)
      onDone()
    })

  return (
    <form ref={useOpenedFocus<HTMLFormElement>()} class="stack" onSubmit={handleSubmit(enter)}>
      <FormProblem problem={problem.value} />
      {isFirst ? (
        <>
          <Field label={`${t.welcome.choose.name} (${t.optional})`}>
            {(names) => <input {...names} name="name" autocomplete="name" maxLength={200} />}
          </Field>
          <Field
            label={`${t.welcome.choose.email} (${t.optional})`}
            hint={t.welcome.choose.emailHint(FIRST_ADMIN)}
            fault={faults['email']}
          >
            {(names) => <input {...names} name="email" type="email" autocomplete="username" maxLength={254} />}
          </Field>
        </>
      ) : (
        // the account, for password managers
        <input type="text" name="username" autocomplete="username" value={email} readOnly hidden />
      )}
      <PasswordField
        label={t.door.password}
        name="password"
        autocomplete="new-password"
        hint={t.settings.password.nextHint}
        fault={faults['password']}
      />
      <Button kind="main" type="submit" wide busy={busy.value}>
        {busy.value ? t.welcome.choose.entering : t.welcome.choose.enter}
      </Button>
    </form>
  )
}

/** Sets a name and an address for the first admin. The next page shows a refusal: they are signed in anyway. */
const introduce = async (name: string, email: string, password: string): Promise<void> => {
  try {
    const me = name === '' ? await api.getProfile() : await api.updateProfile({ name })
    if (email === '') return
    const change = await changeAddress(me, { email, currentPassword: password })
    outcome.value = {
      kind: 'allow',
      text: change === 'set' ? t.welcome.addressSet(email) : t.welcome.addressAsked(email),
    }
  } catch (error) {
    outcome.value = { kind: 'lit', text: t.welcome.notDone(t.problem(problemIn(error))) }
  }
}
