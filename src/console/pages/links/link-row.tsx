import type { ManagedLink } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { Badges } from '../../parts/badges'
import { Button } from '../../parts/button'
import { CopyButton } from '../../parts/copy-button'
import { Icon } from '../../parts/icon'
import { Menu } from '../../parts/menu'
import { linkReasonOf } from '../../parts/rights'
import { SelectCell, type Selection } from '../../parts/selection'
import { shortened } from '../../parts/shortened'
import type { LinkRights } from '../../parts/use-link-rights'

/** The tags that a row shows; its page has all of them. */
const SHOWN_TAGS = 3

/** One link of the list. */
export const LinkRow = ({
  link,
  rights,
  selection,
  onDelete,
  onSwitch,
}: {
  readonly link: ManagedLink
  readonly rights: LinkRights | undefined
  readonly selection: Selection<ManagedLink>
  readonly onDelete: (link: ManagedLink) => unknown
  readonly onSwitch: (link: ManagedLink) => unknown
}) => {
  const place = new URL(link.url)
  const page = `/console/links/${link.code}`
  const moreTags = link.tags.slice(SHOWN_TAGS)
  return (
    <tr aria-selected={selection.has(link)} data-code={link.code}>
      <SelectCell item={link} label={t.links.select(link.code)} of={selection} />
      <td class="link-cell">
        <a href={page} title={link.url}>
          <span class="host cut">{place.host}/</span>
          <strong class="cut">{link.code}</strong>
        </a>
        <div class="caption cut" dir={link.title === null ? undefined : 'auto'} title={link.title ?? undefined}>
          {link.title ?? t.links.noTitle}
        </div>
      </td>
      <td class="cut" title={link.target}>
        {shortened(link.target)}
      </td>
      <td class="tags-cell">
        <span class="row">
          {link.tags.slice(0, SHOWN_TAGS).map((tag) => (
            <a key={tag} class="tag" href={`/console?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </a>
          ))}
          {moreTags.length > 0 && (
            <a class="tag" href={page} title={moreTags.join(', ')} aria-label={t.links.moreTags(moreTags.length)}>
              +{moreTags.length}
            </a>
          )}
        </span>
      </td>
      <td class="state-cell">
        <Badges link={link} />
      </td>
      <td class="visits-cell number">
        {number(link.visits.total)} <span class="narrow-only">{t.links.visitsOf(link.visits.total)}</span>
      </td>
      <td class="actions-cell">
        <span class="row">
          <CopyButton bare text={link.url} label={t.links.copyOne(link.url)} />
          <Button
            kind="bare"
            icon="trash"
            label={t.links.deleteOne(link.code)}
            off={linkReasonOf(rights?.['link:delete'])}
            onPress={() => onDelete(link)}
          >
            {t.links.delete}
          </Button>
          <Menu bare icon="more" label={t.links.actionsFor(link.code)}>
            <a class="button bare" href={page}>
              <Icon name="chart" />
              {t.links.details}
            </a>
            <a class="button bare" href={link.url} target="_blank" rel="noopener">
              <Icon name="open" />
              {t.links.open}
            </a>
            <Button
              kind="bare"
              icon={link.active ? 'pause' : 'play'}
              off={linkReasonOf(rights?.['link:update'])}
              onPress={() => onSwitch(link)}
            >
              {link.active ? t.links.pause : t.links.resume}
            </Button>
          </Menu>
        </span>
      </td>
    </tr>
  )
}
