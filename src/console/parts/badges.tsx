import type { ManagedLink } from '../api'
import { distance, dateAndTime } from '../language/format'
import { t } from '../language/language'
import { Icon } from './icon'

/** An end sooner than this is highlighted, in milliseconds. */
const SOON_MS = 7 * 86_400_000

/** The special settings of a link; most have none. */
export const Badges = ({ link }: { readonly link: ManagedLink }) => {
  const now = Date.now()
  const starts = link.starts_at !== null && Date.parse(link.starts_at) > now ? link.starts_at : null
  const ends = link.expires_at
  const isOver = ends !== null && Date.parse(ends) <= now
  const {
    max_visits: most,
    visits: { left },
  } = link
  return (
    <span class="row">
      {!link.active && (
        <span class="badge paused">
          <Icon name="pause" />
          {t.links.states.inactive}
        </span>
      )}
      {link.has_password && (
        <span class="badge">
          <Icon name="lock" />
          {t.badges.guarded}
        </span>
      )}
      {starts !== null && (
        <span class="badge" title={dateAndTime(starts)}>
          <Icon name="clock" />
          {t.badges.starts(distance(starts))}
        </span>
      )}
      {isOver && (
        <span class="badge deny" title={dateAndTime(ends)}>
          <Icon name="deny" />
          {t.links.states.expired}
        </span>
      )}
      {ends !== null && !isOver && (
        <span class={Date.parse(ends) - now < SOON_MS ? 'badge lit' : 'badge'} title={dateAndTime(ends)}>
          <Icon name="clock" />
          {t.badges.expires(distance(ends))}
        </span>
      )}
      {most !== null && left !== undefined && (
        <span class="badge" title={t.badges.everyCounts}>
          <meter max={most} value={most - left} aria-hidden="true" />
          {t.badges.used(most - left, most)}
        </span>
      )}
    </span>
  )
}
