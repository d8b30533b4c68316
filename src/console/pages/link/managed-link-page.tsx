import { useSignal } from '@preact/signals'

import type { ManagedLink } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { useAttempts } from '../../parts/attempt'
import { Badges } from '../../parts/badges'
import { Note, ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { linkReasonOf } from '../../parts/rights'
import { may } from '../../parts/service-rights'
import { useLinkRights } from '../../parts/use-link-rights'
import { useNames } from '../../parts/use-names'
import { EditCard } from './edit-card'
import { HistoryCard } from './history-card'
import { LinkActions } from './link-actions'
import { LinkHeading } from './link-heading'
import { LinkVisits } from './link-visits'
import { QrCard } from './qr-card'
import { SettingsCard } from './settings-card'

/** A link for users who may change it: visits, settings and actions. */
export const ManagedLinkPage = ({
  link,
  onChange,
  onGiven,
}: {
  readonly link: ManagedLink
  readonly onChange: (link: ManagedLink) => unknown
  readonly onGiven: () => unknown
}) => {
  const { code } = link
  const rights = useLinkRights([code], link.owner_id).get(code)
  const off = linkReasonOf(rights?.['link:update'])
  const nameOf = useNames([link.owner_id])
  const isEditing = useSignal(false)
  const { problem, attempt } = useAttempts()
  const closed = closedWords(link, Date.now())

  return (
    <Page
      title={code}
      heading={<LinkHeading url={link.url} />}
      actions={
        <LinkActions
          code={code}
          url={link.url}
          link={link}
          rights={rights}
          off={off}
          onEdit={() => (isEditing.value = true)}
          onGiven={() => {
            isEditing.value = false
            onGiven()
          }}
          attempt={attempt}
        />
      }
    >
      <div class="link-page">
        <div class="under-head whole">
          <p class="lead">
            {link.title !== null && (
              <>
                <bdi>{link.title}</bdi> ·{' '}
              </>
            )}
            {t.link.leadsTo}{' '}
            <a href={link.target} rel="noreferrer">
              {link.target}
            </a>
          </p>
          <Badges link={link} />
        </div>
        <div class="notes whole">
          {closed !== null && <Note kind="lit" title={closed} />}
          <ProblemNote problem={problem.value} />
        </div>
        {isEditing.value && <EditCard link={link} onChange={onChange} onClose={() => (isEditing.value = false)} />}
        <LinkVisits link={link} />
        <div class="stack">
          {!isEditing.value && <SettingsCard link={link} off={off} nameOf={nameOf} onChange={onChange} />}
          <QrCard code={code} url={link.url} />
          {may('audit:read') && <HistoryCard link={link} />}
        </div>
      </div>
    </Page>
  )
}

/** What visitors get if the link is not open. */
const closedWords = ({ active, starts_at: start, expires_at: end }: ManagedLink, now: number): string | null => {
  if (!active) return t.link.closed.off
  if (end !== null && now >= Date.parse(end)) return t.link.closed.over(dateAndTime(end))
  if (start !== null && now < Date.parse(start)) return t.link.closed.early(dateAndTime(start))
  return null
}
