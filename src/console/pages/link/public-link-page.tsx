import type { Link } from '../../api'
import { t } from '../../language/language'
import { buttonClass } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { Icon } from '../../parts/icon'
import { Page } from '../../parts/page'
import { LinkHeading } from './link-heading'

/** Somebody else's link: what every visitor can know, and why not more. */
export const PublicLinkPage = ({ link: { code, title, target } }: { readonly link: Link }) => {
  const url = `${location.origin}/${code}`
  return (
    <Page
      title={code}
      heading={<LinkHeading url={url} />}
      actions={
        <span class="row">
          <CopyButton text={url} label={t.links.copyOne(url)} />
          <a class={buttonClass({})} href={url} target="_blank" rel="noopener">
            <Icon name="open" />
            {t.links.open}
          </a>
        </span>
      }
    >
      <div class="stack">
        <dl class="settings card">
          <div>
            <dt>{t.fields.title}</dt>
            <dd>{title ?? t.links.noTitle}</dd>
          </div>
          <div>
            <dt>{t.fields.target}</dt>
            <dd>{target === undefined ? t.link.behindPassword : <a href={target}>{target}</a>}</dd>
          </div>
        </dl>
        <p class="lead">{t.link.notYours}</p>
      </div>
    </Page>
  )
}
