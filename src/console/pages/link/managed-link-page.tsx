import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'

import { api } from '../../api'
import type { LinkgateProblem, ManagedLink } from '../../api'
import { t } from '../../language/language'
import { Badges } from '../../parts/badges'
import { problemIn } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { reasonOf } from '../../parts/rights'
import { say } from '../../parts/toast'
import { useRights } from '../links/use-rights'
import { EditCard } from './edit-card'
import { HistoryCard } from './history-card'
import { LinkActions } from './link-actions'
import { LinkHeading } from './link-heading'
import { LinkVisits } from './link-visits'
import { QrCard } from './qr-card'
import { SettingsCard } from './settings-card'
import { StateNote } from './state-note'
import { useNames } from './use-names'

/** A link for those who may change it: who came, how it is set, and what can be done with it. */
export const ManagedLinkPage = ({
  link,
  onChange,
}: {
  readonly link: ManagedLink
  readonly onChange: (link: ManagedLink) => unknown
}) => {
  const { route } = useLocation()
  const { code, id } = link
  const rights = useRights([code])
  const may = rights.links.value.get(code)
  const service = rights.service.value
  const mayReadUsers = service['user:read']?.allowed ?? false
  const nameOf = useNames([link.owner_id], mayReadUsers)
  const isEditing = useSignal(false)
  const problem = useSignal<LinkgateProblem | null>(null)

  const attempt = async (work: () => Promise<unknown>) => {
    problem.value = null
    try {
      await work()
    } catch (error) {
      problem.value = problemIn(error)
    }
  }
  const remove = async () => {
    await api.deleteLink(code)
    say(t.links.deleted(1), async () => {
      try {
        route(`/console/links/${(await api.restoreLink(id)).code}`)
      } catch (error) {
        say(t.problem(problemIn(error)))
      }
    })
    route('/console')
  }

  return (
    <Page
      title={code}
      heading={<LinkHeading url={link.url} />}
      actions={
        <LinkActions
          link={link}
          rights={may}
          attempt={attempt}
          onEdit={() => (isEditing.value = true)}
          onDelete={remove}
          onGiven={(given) => {
            say(t.link.transfer.given(code))
            onChange(given)
          }}
        />
      }
    >
      <div class="link-page">
        <div class="under-head whole">
          <p class="lead">
            {link.title !== null && <>{link.title} · </>}
            {t.link.leadsTo}{' '}
            <a href={link.target} rel="noreferrer">
              {link.target}
            </a>
          </p>
          <Badges link={link} />
        </div>
        <div class="notes whole">
          <StateNote link={link} />
          {problem.value !== null && <ProblemNote problem={problem.value} />}
        </div>
        {isEditing.value && <EditCard link={link} onChange={onChange} onClose={() => (isEditing.value = false)} />}
        <LinkVisits link={link} />
        <div class="stack">
          {!isEditing.value && (
            <SettingsCard link={link} off={reasonOf(may?.['link:update'])} nameOf={nameOf} onChange={onChange} />
          )}
          <QrCard code={code} url={link.url} />
          {service['audit:read']?.allowed && <HistoryCard link={link} mayReadUsers={mayReadUsers} />}
        </div>
      </div>
    </Page>
  )
}
