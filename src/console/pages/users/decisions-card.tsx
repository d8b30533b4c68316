import { api, type Decision } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { Listed, usePages } from '../../parts/pages'
import { may, reasonFor } from '../../parts/service-rights'

/** A user's latest decisions. For users who may read the log. */
export const DecisionsCard = ({ id }: { readonly id: string }) => {
  const off = reasonFor('audit:read')
  return (
    <Card title={t.users.decisions.title} actions={<span class="caption">{t.link.history.source}</span>}>
      {off !== null && <p class="hint">{t.users.decisions.off(off)}</p>}
      {may('audit:read') && <Decisions id={id} />}
    </Card>
  )
}

const Decisions = ({ id }: { readonly id: string }) => {
  const list = usePages((from, options) => api.listDecisions({ user: id, limit: 10, ...from }, options).page(), [id])
  const { items } = list.state.value
  return (
    <Listed list={list} isLast={false} empty={<p>{t.users.decisions.none}</p>}>
      <ul class="items body">
        {items.map((decision) => (
          <Item key={decision.id} decision={decision} />
        ))}
      </ul>
    </Listed>
  )
}

const Item = ({
  decision: { time, action, resource, effect, rule, request_id: request },
}: {
  readonly decision: Decision
}) => {
  const when = dateAndTime(time)
  return (
    <li>
      <div>
        <code>{action}</code>{' '}
        {resource.code !== null && <span>{t.users.decisions.on(resource.type, resource.code)}</span>}
        <div class="caption">
          <time dateTime={time}>{when}</time>
        </div>
      </div>
      <a
        class="button bare"
        href={`/console/explain?${new URLSearchParams({ request })}`}
        aria-label={`${t.policy.effects[effect]} ${rule}: ${t.users.decisions.explain(when)}`}
      >
        <EffectWord effect={effect} /> <RuleLabel rule={rule} />
      </a>
    </li>
  )
}
