import { useSignal } from '@preact/signals'

import { api, type ManagedLink } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { useKeptFocus } from '../../parts/focus'
import { Icon, type IconName } from '../../parts/icon'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { useNames, type NameOf } from '../../parts/use-names'
import { newestOf, type LinkEvent } from './link-event'

/** All actions except reading, which would be most of the log; each is requested separately. */
const ASKED = [
  { action: 'link:create' },
  { action: 'link:update' },
  { action: 'link:delete' },
  { action: 'link:transfer' },
  { kind: 'link' },
] as const

const FIRST = 8
const MOST = 100

const ICONS: Readonly<Record<LinkEvent['what'], IconName>> = {
  made: 'add',
  restored: 'restore',
  changed: 'edit',
  deleted: 'trash',
  renamed: 'link',
  given: 'user',
  refused: 'deny',
}

/** Who changed a link, and who was refused what, from the decision log. For users who may read it. */
export const HistoryCard = ({ link }: { readonly link: ManagedLink }) => {
  const limit = useSignal(FIRST)
  const loaded = useLoaded(
    async (signal) => {
      const query = { link: link.id, limit: limit.value }
      const pages = await Promise.all(ASKED.map((asked) => api.getTimeline({ ...query, ...asked }, { signal }).page()))
      // a code may equal another link's id
      const ofLink = pages.map(({ data }) => data.filter(({ resource }) => resource.id === link.id))
      const events = newestOf(ofLink, limit.value + 1)
      const hasMore = events.length > limit.value || pages.some(({ next_cursor: next }) => next !== null)
      return { events: events.slice(0, limit.value), hasMore: hasMore && limit.value < MOST }
    },
    [link.id, link.updated_at, link.owner_id, limit.value],
  )
  const { value, busy } = loaded
  const events = value?.events ?? []
  const nameOf = useNames(events.flatMap(usersIn))
  return (
    <Card title={t.link.history.title} actions={<span class="caption">{t.link.history.source}</span>} busy={busy}>
      <div class="body stack" {...useKeptFocus<HTMLDivElement>()}>
        <LoadProblem of={loaded} />
        {value === null && busy && <p class="hint">{t.loading}</p>}
        <ol class="history" tabIndex={-1}>
          {events.map((event) => (
            <li key={event.id} class={event.what === 'refused' ? 'deny' : undefined}>
              <Icon name={ICONS[event.what]} />
              <span>
                {sentenceOf(event, nameOf)}
                <time class="caption" dateTime={event.time}>
                  {dateAndTime(event.time)}
                </time>
              </span>
            </li>
          ))}
        </ol>
        {value?.hasMore && (
          <div>
            <Button kind="bare" busy={busy} onPress={() => (limit.value = MOST)}>
              {t.link.history.more}
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}

const usersIn = (event: LinkEvent): readonly (string | null)[] =>
  event.what === 'given' ? [event.who, event.from, event.to] : [event.who]

const sentenceOf = (event: LinkEvent, nameOf: NameOf): string => {
  const words = t.link.history
  const who = event.who === null ? words.commandLine : nameOf(event.who)
  if (event.what === 'renamed') return words.renamed(who, event.from, event.to)
  if (event.what === 'given') return words.given(who, nameOf(event.from), nameOf(event.to))
  if (event.what === 'refused') return words.refused(who, event.action, event.rule)
  return words[event.what](who)
}
