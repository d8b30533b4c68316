import type { Link } from '../../api'
import { t } from '../../language/language'
import { useAttempts } from '../../parts/attempt'
import { Fact } from '../../parts/fact'
import { ProblemNote } from '../../parts/note'
import { Page } from '../../parts/page'
import { linkReasonOf } from '../../parts/rights'
import { useLinkRights } from '../../parts/use-link-rights'
import { LinkActions } from './link-actions'
import { LinkHeading } from './link-heading'
import { QrCard } from './qr-card'

/** Somebody else's link: its public part, and why there is no more. */
export const PublicLinkPage = ({
  link: { code, title, target },
  onGiven,
}: {
  readonly link: Link
  /** called after it was transferred, possibly to this user */
  readonly onGiven: () => unknown
}) => {
  const url = `${location.origin}/${code}`
  const rights = useLinkRights([code]).get(code)
  const off = linkReasonOf(rights?.['link:update']) ?? t.rights.object(null)
  const { problem, attempt } = useAttempts()
  return (
    <Page
      title={code}
      heading={<LinkHeading url={url} />}
      actions={<LinkActions code={code} url={url} rights={rights} off={off} onGiven={onGiven} attempt={attempt} />}
    >
      <div class="stack public-link">
        <ProblemNote problem={problem.value} />
        <p class="lead">{t.link.notYours(off)}</p>
        <dl class="settings card">
          <Fact name={t.fields.title}>{title === null ? t.links.noTitle : <bdi>{title}</bdi>}</Fact>
          <Fact name={t.fields.target}>
            {target === undefined ? (
              t.link.behindPassword
            ) : (
              <a href={target} rel="noreferrer">
                {target}
              </a>
            )}
          </Fact>
        </dl>
        <QrCard code={code} url={url} />
      </div>
    </Page>
  )
}
