import { t } from '../language/language'
import { me } from '../me'
import { Button } from '../parts/button'
import { leave } from '../parts/leave'
import { Page } from '../parts/page'

/** Where the pages about an account lead if this browser has a session: it may be somebody else's. */
export const AlreadySignedIn = () => (
  <Page title={t.already.title}>
    {me.value !== null && (
      <p class="lead">
        <bdi>{me.value.name}</bdi> · {me.value.email}
      </p>
    )}
    <p>{t.already.lead}</p>
    <div class="row">
      <Button kind="main" icon="out" onPress={leave}>
        {t.signOut}
      </Button>
      <a class="button" href="/console">
        {t.already.stay}
      </a>
    </div>
  </Page>
)
