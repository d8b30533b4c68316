import { useSignal } from '@preact/signals'

import { api, type ManagedLink } from '../../api'
import { date } from '../../language/format'
import { t } from '../../language/language'
import { userId } from '../../session'
import { useAttempt } from '../../parts/attempt'
import { Card } from '../../parts/card'
import { switchExactly } from '../../parts/exactly'
import { Fact } from '../../parts/fact'
import { useLoaded } from '../../parts/loaded'
import { ProblemNote } from '../../parts/note'
import { WhenLoaded } from '../../parts/when-loaded'
import type { NameOf } from '../../parts/use-names'
import { settingName, settingWords } from './setting-words'

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
  readonly nameOf: NameOf
  readonly onChange: (link: ManagedLink) => unknown
}) => {
  const { busy, problem, attempt } = useAttempt()
  const turn = () => attempt(async () => onChange(await switchExactly(link)))
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
                if (off === null) void turn()
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

/** Who may change and delete the link, by the policy; loaded when unfolded. */
const WhoCanChange = ({ code, isOwn }: { readonly code: string; readonly isOwn: boolean }) => {
  const isOpen = useSignal(false)
  return (
    <details class="disclosure card-foot" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{t.link.who.title}</summary>
      {isOpen.value && <Answer code={code} isOwn={isOwn} />}
    </details>
  )
}

const Answer = ({ code, isOwn }: { readonly code: string; readonly isOwn: boolean }) => {
  const loaded = useLoaded((signal) => api.getLinkRights(code, { signal }), [code])
  return (
    <WhenLoaded of={loaded}>
      {({ actions, revision }) => {
        const change = actions['link:update']
        const remove = actions['link:delete']
        const isSame = JSON.stringify(change) === JSON.stringify(remove)
        return (
          <>
            <p>{isSame ? t.link.who.both(change, isOwn) : t.link.who.change(change, isOwn)}</p>
            {!isSame && <p>{t.link.who.delete(remove, isOwn)}</p>}
            <p>{t.link.who.others}</p>
            <p class="caption">{t.revision(revision)}</p>
          </>
        )
      }}
    </WhenLoaded>
  )
}
