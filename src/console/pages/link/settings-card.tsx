import { api } from '../../api'
import type { ManagedLink } from '../../api'
import { date } from '../../language/format'
import { t } from '../../language/language'
import { userId } from '../../session'
import { useAttempt } from '../../parts/attempt'
import { Card } from '../../parts/card'
import { Fact } from '../../parts/fact'
import { ProblemNote } from '../../parts/note'
import { settingName, settingWords } from './setting-words'
import { WhoCanChange } from './who-can-change'

const SHOWN = ['status', 'starts_at', 'expires_at', 'max_visits', 'has_password', 'forward_query'] as const

/** The settings of a link, in words, with an immediate on/off switch. */
export const SettingsCard = ({
  link,
  off,
  nameOf,
  onChange,
}: {
  readonly link: ManagedLink
  /** why this caller may not change it */
  readonly off: string | null
  readonly nameOf: (id: string | null) => string
  readonly onChange: (link: ManagedLink) => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const turn = (active: boolean) => attempt(async () => onChange(await api.updateLink(link.code, { active })))
  return (
    <Card title={t.link.settings.title}>
      <ProblemNote problem={problem.value} />
      <dl class="settings">
        <div>
          <dt>
            <label for="link-active">{t.fields.active}</label>
            {off !== null && (
              <span class="reason" id="link-active-off">
                {off}
              </span>
            )}
          </dt>
          <dd>
            <input
              id="link-active"
              class="switch"
              type="checkbox"
              role="switch"
              checked={link.active}
              aria-disabled={off !== null || busy.value || undefined}
              aria-describedby={off === null ? undefined : 'link-active-off'}
              onClick={(event) => {
                // the switch moves only with the service's response
                event.preventDefault()
                if (off === null) void turn(!link.active)
              }}
            />
          </dd>
        </div>
        {SHOWN.map((name) => (
          <Fact key={name} name={settingName(name)}>
            {settingWords(name, link)}
          </Fact>
        ))}
        <Fact name={settingName('tags')}>
          {link.tags.length === 0
            ? t.none
            : link.tags.map((tag) => (
                <a key={tag} class="tag" href={`/console?tag=${encodeURIComponent(tag)}`}>
                  {tag}
                </a>
              ))}
        </Fact>
        {link.note !== null && (
          <div class="note-row">
            <dt>{settingName('note')}</dt>
            <dd>{link.note}</dd>
          </div>
        )}
        <Fact name={t.link.settings.owner}>{nameOf(link.owner_id)}</Fact>
        <Fact name={t.link.settings.made}>{date(link.created_at)}</Fact>
      </dl>
      <WhoCanChange key={link.owner_id} code={link.code} isOwn={link.owner_id === userId()} />
    </Card>
  )
}
