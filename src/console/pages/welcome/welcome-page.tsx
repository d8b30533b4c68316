import { useSignal } from '@preact/signals'

import type { ManagedLink } from '../../api'
import { t } from '../../language/language'
import { me } from '../../me'
import { Card } from '../../parts/card'
import { CreateBar } from '../../parts/create-bar'
import { InviteForm } from '../../parts/invite-form'
import { Note } from '../../parts/note'
import { Page } from '../../parts/page'
import { reasonFor } from '../../parts/service-rights'
import { outcome } from './outcome'

/** The first things to do in a new installation. */
export const WelcomePage = () => {
  const made = useSignal<ManagedLink | null>(null)
  const hasLink = useSignal(false)
  return (
    <Page title={me.value === null ? t.welcome.choose.title : t.welcome.title(me.value.name)}>
      <div class="stack welcome">
        {outcome.value !== null && <Note kind={outcome.value.kind} title={outcome.value.text} />}
        <p class="lead">{t.welcome.lead}</p>
        <Card title={t.welcome.link.title}>
          <div class="body stack">
            <p>{t.welcome.link.lead}</p>
            <CreateBar made={made} onMade={() => (hasLink.value = true)} off={reasonFor('link:create')} />
          </div>
        </Card>
        <Card title={t.welcome.invite.title}>
          <div class="body stack">
            <p>{t.welcome.invite.lead}</p>
            <InviteForm off={reasonFor('user:invite')} />
          </div>
        </Card>
        <div class="row">
          <a class={hasLink.value ? 'button main' : 'button'} href="/console">
            {t.welcome.toLinks}
          </a>
          <a href="/console/import">{t.welcome.import}</a>
        </div>
      </div>
    </Page>
  )
}
