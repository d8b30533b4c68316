import type { FunctionComponent } from 'preact'
import lazy from 'preact-iso/lazy'

import { t } from '../language/language'
import { Button } from './button'
import { Page } from './page'

/**
 * Shown if the script of a page could not be loaded: the service is away, or was updated since this page was opened.
 */
const NotLoaded = () => (
  <Page title={t.notLoaded.title}>
    <p class="lead">{t.notLoaded.why}</p>
    <div class="row">
      <Button kind="main" icon="restore" onPress={() => location.reload()}>
        {t.notLoaded.reload}
      </Button>
    </div>
  </Page>
)

/** A page whose script is loaded when it is first opened. */
export const lazyPage = <Props,>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> =>
  lazy<FunctionComponent<Props>>(() => load().catch(() => NotLoaded))
