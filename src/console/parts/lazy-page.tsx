import type { FunctionComponent } from 'preact'
import lazy from 'preact-iso/lazy'

import { t } from '../language/language'
import { Button } from './button'
import { Page } from './page'

/** In place of a page whose script did not come: the service is away, or was updated since this one was opened. */
const NotLoaded = () => (
  <Page title={t.notLoaded.title}>
    <p class="lead">{t.notLoaded.why}</p>
    <Button kind="main" icon="restore" onPress={() => location.reload()}>
      {t.notLoaded.reload}
    </Button>
  </Page>
)

/** A page whose script is loaded when it is opened first. */
export const lazyPage = <Props,>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> =>
  lazy<FunctionComponent<Props>>(() => load().catch(() => NotLoaded))
