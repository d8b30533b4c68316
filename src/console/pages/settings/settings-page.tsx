import { signInWay } from '../../issuer'
import { t } from '../../language/language'
import { loadMe, me, meProblem } from '../../me'
import { BusyBar } from '../../parts/busy-bar'
import { LoadProblem } from '../../parts/load-problem'
import { Page } from '../../parts/page'
import { AppearanceCard } from './appearance-card'
import { KeysCard } from './keys-card'
import { PasswordCard } from './password-card'
import { ProfileCard } from './profile-card'
import { SignInsCard } from './sign-ins-card'
import { TokensCard } from './tokens-card'

/** A user's own settings, tokens and sign-ins. */
export const SettingsPage = () => (
  <Page title={t.nav.settings}>
    <div class="halves">
      <div class="stack">
        <LoadProblem of={{ problem: meProblem.value, at: null, again: loadMe }} />
        {me.value === null && meProblem.value === null && <BusyBar />}
        {me.value !== null && (
          <>
            <ProfileCard profile={me.value} />
            {signInWay === 'password' && <PasswordCard profile={me.value} />}
          </>
        )}
        <AppearanceCard />
        <KeysCard />
      </div>
      <div class="stack">
        <TokensCard />
        {signInWay === 'password' && <SignInsCard />}
      </div>
    </div>
  </Page>
)
