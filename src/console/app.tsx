import './styles/app.css'
import './parts/before-router'

import { signal } from '@preact/signals'
import { render } from 'preact'
import { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'

import { SIGN_IN_PATH } from '../domain/sign-in-path'
import { refusals, type LinkgateProblem } from './api'
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

/** The path of a first start's link; its token is behind a `#`, which browsers do not send. */
const WELCOME = '/console/welcome'

const PAGES = {
  '/console': LinksPage,
  '/console/links': LinksPage,
  '/console/links/:name': lazyPage(async () => (await import('./pages/link/link-page')).LinkPage),
  '/console/visits': lazyPage(async () => (await import('./pages/visits-page')).VisitsPage),
  '/console/import': lazyPage(async () => (await import('./pages/import/import-page')).ImportPage),
  '/console/access': lazyPage(async () => (await import('./pages/access/access-page')).AccessPage),
  '/console/policy': lazyPage(async () => (await import('./pages/propose/propose-page')).ProposePage),
  '/console/revisions': lazyPage(async () => (await import('./pages/revisions/revisions-page')).RevisionsPage),
  '/console/explain': lazyPage(async () => (await import('./pages/explain/explain-page')).ExplainPage),
  '/console/decisions': lazyPage(async () => (await import('./pages/decisions/decisions-page')).DecisionsPage),
  '/console/proof': lazyPage(async () => (await import('./pages/proof/proof-page')).ProofPage),
  '/console/model': lazyPage(async () => (await import('./pages/model/model-page')).ModelPage),
  '/console/users': lazyPage(async () => (await import('./pages/users/users-page')).UsersPage),
  '/console/users/:name': lazyPage(async () => (await import('./pages/users/user-page')).UserPage),
  '/console/proposals': lazyPage(async () => (await import('./pages/proposals/proposals-page')).ProposalsPage),
  '/console/proposals/:name': lazyPage(async () => (await import('./pages/proposals/proposal-page')).ProposalPage),
  '/console/settings': lazyPage(async () => (await import('./pages/settings/settings-page')).SettingsPage),
  '/console/trash': lazyPage(async () => (await import('./pages/trash')).TrashPage),
  [SIGN_IN_PATH]: lazyPage(async () => (await import('./pages/already-signed-in')).AlreadySignedIn),
  [WELCOME]: lazyPage(async () => (await import('./pages/welcome/welcome-page')).WelcomePage),
}
const ChoosePassword = lazyPage(async () => (await import('./pages/welcome/choose-password')).ChoosePassword)

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
  }, [refusals.value])
  return (
    <div class="frame">
      <a class="button skip" href="#main">
        {t.skip}
      </a>
      <Side />
      <main id="main">
        <ErrorBoundary>
          <Router>
            {Object.entries(PAGES).map(([path, component]) => (
              <Route key={path} path={path} component={component} />
            ))}
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
const open = async () => {
  let problem: LinkgateProblem | null = null
  // set before the sign-in page is shown: without a problem, that leaves its path at once
  await openSession((each) => (atTheDoor.value = problem = each))
  atTheDoor.value = problem
}

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
