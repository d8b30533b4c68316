import './styles/app.css'
import './parts/before-router'

import { signal } from '@preact/signals'
import { render } from 'preact'
import { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'

import type { LinkgateProblem } from './api'
import { issuerHost, openIssuer, signInWay } from './issuer'
import { loadLanguage, t } from './language/language'
import { loadMe, me } from './me'
import { Button } from './parts/button'
import { Dialog } from './parts/dialog'
import { lazyPage } from './parts/lazy-page'
import { Page } from './parts/page'
import { Side } from './parts/side'
import { SignInForm } from './parts/sign-in-form'
import { Toasts } from './parts/toast'
import { LinksPage } from './pages/links/links-page'
import { SignIn } from './pages/sign-in'
import { openSession, session } from './session'

const Link = lazyPage(async () => (await import('./pages/link/link-page')).LinkPage)
const Visits = lazyPage(async () => (await import('./pages/visits-page')).VisitsPage)
const Import = lazyPage(async () => (await import('./pages/import/import-page')).ImportPage)
const Access = lazyPage(async () => (await import('./pages/access/access-page')).AccessPage)
const Propose = lazyPage(async () => (await import('./pages/propose/propose-page')).ProposePage)
const Revisions = lazyPage(async () => (await import('./pages/revisions/revisions-page')).RevisionsPage)
const Explain = lazyPage(async () => (await import('./pages/explain/explain-page')).ExplainPage)
const Decisions = lazyPage(async () => (await import('./pages/decisions/decisions-page')).DecisionsPage)
const Proof = lazyPage(async () => (await import('./pages/proof/proof-page')).ProofPage)
const Model = lazyPage(async () => (await import('./pages/model/model-page')).ModelPage)
const Users = lazyPage(async () => (await import('./pages/users/users-page')).UsersPage)
const User = lazyPage(async () => (await import('./pages/users/user-page')).UserPage)
const Proposals = lazyPage(async () => (await import('./pages/proposals/proposals-page')).ProposalsPage)
const Proposal = lazyPage(async () => (await import('./pages/proposals/proposal-page')).ProposalPage)
const Settings = lazyPage(async () => (await import('./pages/settings/settings-page')).SettingsPage)
const Welcome = lazyPage(async () => (await import('./pages/welcome/welcome-page')).WelcomePage)
const ChoosePassword = lazyPage(async () => (await import('./pages/welcome/choose-password')).ChoosePassword)
const Trash = lazyPage(async () => (await import('./pages/trash')).TrashPage)

const NotFound = () => (
  <Page title={t.notFound.title}>
    <p>
      <a href="/console">{t.notFound.back}</a>
    </p>
  </Page>
)

/**
 * An overlay: the page stays as it is, and the user continues where they were after signing in again. After a sign-out
 * in another tab it hides the page, because somebody else may look at it.
 */
const SignInAgain = ({ at, isElsewhere }: { readonly at: Date; readonly isElsewhere: boolean }) => (
  <Dialog title={t.door.title} hidesPage={isElsewhere}>
    <p class="lead">{isElsewhere ? t.door.elsewhere : t.door.ended(at)}</p>
    {signInWay === 'password' ? (
      <SignInForm email={isElsewhere ? '' : (me.value?.email ?? '')} />
    ) : (
      <Button kind="main" icon="key" onPress={openIssuer}>
        {t.door.continueAt(issuerHost())}
      </Button>
    )}
  </Dialog>
)

const SignedIn = () => {
  useEffect(() => {
    void loadMe()
  }, [])
  return (
    <div class="frame">
      <a class="button skip" href="#main">
        {t.skip}
      </a>
      <Side />
      <main id="main">
        <ErrorBoundary>
          <Router>
            <Route path="/console" component={LinksPage} />
            <Route path="/console/links" component={LinksPage} />
            <Route path="/console/links/:name" component={Link} />
            <Route path="/console/visits" component={Visits} />
            <Route path="/console/import" component={Import} />
            <Route path="/console/access" component={Access} />
            <Route path="/console/policy" component={Propose} />
            <Route path="/console/revisions" component={Revisions} />
            <Route path="/console/explain" component={Explain} />
            <Route path="/console/decisions" component={Decisions} />
            <Route path="/console/proof" component={Proof} />
            <Route path="/console/model" component={Model} />
            <Route path="/console/users" component={Users} />
            <Route path="/console/users/:name" component={User} />
            <Route path="/console/proposals" component={Proposals} />
            <Route path="/console/proposals/:name" component={Proposal} />
            <Route path="/console/settings" component={Settings} />
            <Route path="/console/trash" component={Trash} />
            <Route path={WELCOME} component={Welcome} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </main>
      {session.value.is === 'ended' && <SignInAgain {...session.value} />}
      <Toasts />
    </div>
  )
}

/** Why no session could be restored, or the error of a sign-in at an issuer. */
const atTheDoor = signal<LinkgateProblem | null>(null)
const open = () => {
  atTheDoor.value = null
  return openSession((problem) => (atTheDoor.value = problem))
}

/** The path of a first start's link; its token is behind a `#`, which browsers do not send. */
const WELCOME = '/console/welcome'
const welcomeToken = signal(location.pathname === WELCOME ? location.hash.slice(1) : '')

const enter = () => {
  history.replaceState(null, '', WELCOME)
  welcomeToken.value = ''
}

const App = () => {
  const { value } = session
  if (welcomeToken.value !== '')
    return (
      <ErrorBoundary>
        <ChoosePassword token={welcomeToken.value} onDone={enter} />
      </ErrorBoundary>
    )
  if (value.is === 'opening') return null
  return (
    <LocationProvider scope="/console">
      {value.is === 'signed out' ? <SignIn problem={atTheDoor.value} onRetry={open} /> : <SignedIn />}
    </LocationProvider>
  )
}

const place = document.querySelector('#app')
if (place === null) throw new Error('the document has no place for the console')
// in parallel: they are independent
void open()
await loadLanguage()
place.replaceChildren()
render(<App />, place)
