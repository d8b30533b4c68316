import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'

import { SIGN_IN_PATH } from '../../domain/sign-in-path'
import { api, type LinkgateProblem } from '../api'
import { goToIssuer, issuerHost, issuerRefusal, signInWay } from '../issuer'
import { t } from '../language/language'
import { useAttempt } from '../parts/attempt'
import { Button } from '../parts/button'
import { Field } from '../parts/field'
import { useLeftFocus } from '../parts/focus'
import { handleSubmit, textOf } from '../parts/form'
import { Mark } from '../parts/icon'
import { LoadProblem } from '../parts/load-problem'
import { Note, ProblemNote } from '../parts/note'
import { SignInForm } from '../parts/sign-in-form'

/** The sign-in page. `problem`: why nobody is signed in; `onRetry` tries to restore the session. */
export const SignIn = ({
  problem,
  onRetry,
}: {
  readonly problem: LinkgateProblem | null
  readonly onRetry: () => unknown
}) => {
  const { path, route } = useLocation()
  const hasForgotten = useSignal(false)
  /** the address that was typed, for the other form */
  const typed = useRef('')
  useEffect(() => {
    document.title = `${t.door.signIn} · Linkgate`
  }, [])
  useEffect(() => {
    // after a problem there may be a session, and whoever came by this path is to be asked whether it is theirs
    if (problem === null && path === SIGN_IN_PATH) route('/console', true)
  }, [problem])
  return (
    <main
      class="door"
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement && target.name === 'email') typed.current = target.value
      }}
    >
      <Mark />
      <div>
        <h1 tabIndex={-1}>{hasForgotten.value ? t.door.forgotTitle : t.door.title}</h1>
        <p class="lead">{hasForgotten.value ? t.door.forgotLead : location.host}</p>
      </div>
      <LoadProblem of={{ problem, at: null, again: onRetry }} />
      {signInWay !== 'password' ? (
        <AtIssuer />
      ) : hasForgotten.value ? (
        <Forgotten email={typed.current} />
      ) : (
        <SignInForm email={typed.current} />
      )}
      {signInWay === 'password' && (
        <div class="row">
          <Button kind="bare" onPress={() => (hasForgotten.value = !hasForgotten.value)}>
            {hasForgotten.value ? t.door.signIn : t.door.forgot}
          </Button>
        </div>
      )}
    </main>
  )
}

const AtIssuer = () => {
  const keepsNothing = useSignal(false)
  if (signInWay === 'not set up') return <Note kind="lit" title={t.door.notSetUp} />
  if (signInWay === 'issuer away')
    return (
      <>
        <Note kind="deny" title={t.door.issuerAway} />
        <Button onPress={() => location.reload()}>{t.tryAgain}</Button>
      </>
    )
  const refusal = issuerRefusal()
  return (
    <>
      {keepsNothing.value && <Note kind="deny" title={t.door.keepsNothing} />}
      {refusal !== null && (
        <Note kind="deny" title={t.door.refusedAt(issuerHost(), refusal.error)}>
          {refusal.description !== null && <span class="caption">{refusal.description}</span>}
        </Note>
      )}
      <Button kind="main" icon="key" wide onPress={async () => (keepsNothing.value = !(await goToIssuer()))}>
        {t.door.continueAt(issuerHost())}
      </Button>
    </>
  )
}

/** Requests a link by mail. The response does not reveal whether the address has an account. */
const Forgotten = ({ email }: { readonly email: string }) => {
  const isSent = useSignal(false)
  return isSent.value ? (
    <Note kind="allow" title={t.door.sent} />
  ) : (
    <ForgottenForm email={email} onSent={() => (isSent.value = true)} />
  )
}

const ForgottenForm = ({ email, onSent }: { readonly email: string; readonly onSent: () => unknown }) => {
  const { busy, problem, attempt } = useAttempt()
  const submit = (email: string) =>
    attempt(async () => {
      await api.requestPasswordReset({ email })
      onSent()
    })
  return (
    <form
      ref={useLeftFocus<HTMLFormElement>()}
      class="stack"
      onSubmit={handleSubmit((form) => submit(textOf(form, 'email')))}
    >
      <ProblemNote problem={problem.value} />
      <Field label={t.door.email}>
        {(names) => (
          <input {...names} name="email" type="email" autocomplete="username" required defaultValue={email} />
        )}
      </Field>
      <Button kind="main" type="submit" wide busy={busy.value}>
        {t.door.send}
      </Button>
    </form>
  )
}
