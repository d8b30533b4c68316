import './styles/app.css'

import { signal, useSignal } from '@preact/signals'
import { render } from 'preact'
import type { ComponentChildren } from 'preact'
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'

import type { LinkgateProblem } from './api'
import { issuerHost, openIssuer, signInWay } from './issuer'
import { loadLanguage, t } from './language/language'
import { loadMe, me } from './me'
import { Button } from './parts/button'
import { Dialog } from './parts/dialog'
import { Icon, Mark } from './parts/icon'
import type { IconName } from './parts/icon'
import { Page } from './parts/page'
import { SignInForm } from './parts/sign-in-form'
import { Toasts } from './parts/toast'
import { LinksPage } from './pages/links/links-page'
import { SignIn } from './pages/sign-in'
import { openSession, session, signOut } from './session'

const Link = lazy(async () => (await import('./pages/link/link-page')).LinkPage)
const Visits = lazy(async () => (await import('./pages/visits-page')).VisitsPage)
const Settings = lazy(async () => (await import('./pages/settings/settings-page')).SettingsPage)
const Welcome = lazy(async () => (await import('./pages/welcome/welcome-page')).WelcomePage)
const ChoosePassword = lazy(async () => (await import('./pages/welcome/choose-password')).ChoosePassword)
const Trash = lazy(async () => (await import('./pages/trash')).TrashPage)

const NotFound = () => (
  <Page title={t.notFound.title}>
    <a href="/console">{t.notFound.back}</a>
  </Page>
)

const Item = ({ href, icon, children }: { href: string; icon: IconName; children: ComponentChildren }) => {
  const { path } = useLocation()
  const isHere = path === href || (href === '/console' && path.startsWith('/console/links/'))
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        {children}
      </a>
    </li>
  )
}

/** The navigation; a phone has it behind a button. */
const Side = () => {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  useEffect(() => {
    isOpen.value = false
  }, [path])
  return (
    <header class={isOpen.value ? 'side open' : 'side'}>
      <a class="brand" href="/console">
        <Mark />
        Linkgate
      </a>
      <button
        type="button"
        class="button bare menu-button"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="menu" />
        {t.menu}
      </button>
      <nav aria-label={t.nav.label}>
        <ul>
          <Item href="/console" icon="link">
            {t.nav.links}
          </Item>
          <Item href="/console/visits" icon="chart">
            {t.nav.visits}
          </Item>
          <Item href="/console/trash" icon="trash">
            {t.nav.trash}
          </Item>
          <Item href="/console/settings" icon="user">
            {t.nav.settings}
          </Item>
        </ul>
      </nav>
      <div class="side-foot">
        {me.value && (
          <div>
            <strong>{me.value.name}</strong>
            {me.value.role}
          </div>
        )}
        <div class="row">
          <Button kind="bare" icon="out" onPress={signOut}>
            {t.signOut}
          </Button>
        </div>
        <a href="/docs" target="_blank" rel="noopener">
          {t.docs}
        </a>
      </div>
    </header>
  )
}

/** Over the page, which stays as it is: whoever signs in again goes on where they were. */
const SignInAgain = ({ at }: { readonly at: Date }) => (
  <Dialog title={t.door.title}>
    <p class="lead">{t.door.ended(at)}</p>
    {signInWay === 'password' ? (
      <SignInForm email={me.value?.email ?? ''} />
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
            <Route path="/console/links/:name" component={Link} />
            <Route path="/console/visits" component={Visits} />
            <Route path="/console/settings" component={Settings} />
            <Route path="/console/trash" component={Trash} />
            <Route path={WELCOME} component={Welcome} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </main>
      {session.value.is === 'ended' && <SignInAgain at={session.value.at} />}
      <Toasts />
    </div>
  )
}

/** What went wrong at an issuer. */
const atIssuer = signal<LinkgateProblem | null>(null)

/** Where the link of a first start leads; its token is behind a `#`, which no browser sends. */
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
      {value.is === 'signed out' ? <SignIn note={value.note} problem={atIssuer.value} /> : <SignedIn />}
    </LocationProvider>
  )
}

const place = document.querySelector('#app')
if (place === null) throw new Error('the document has no place for the console')
// both at once: neither needs the other
void openSession((problem) => (atIssuer.value = problem))
await loadLanguage()
render(<App />, place)
