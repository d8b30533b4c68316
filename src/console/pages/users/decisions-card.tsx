import { api } from '../../api'
import type { Decision } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { ListFoot, usePages } from '../../parts/pages'
import { useAllowed, useServiceRights } from '../../parts/service-rights'

/** A user's latest decisions. For users who may read the log. */
export const DecisionsCard = ({ id }: { readonly id: string }) => {
  const off = useServiceRights()('audit:read')
  const may = useAllowed()
  return (
    <Card title={t.users.decisions.title} actions={<span class="caption">{t.users.decisions.source}</span>}>
      {off !== null && <p class="hint">{t.users.decisions.off(off)}</p>}
      {may('audit:read') && <Decisions id={id} />}
    </Card>
  )
}

const Decisions = ({ id }: { readonly id: string }) => {
  const list = usePages(
    (cursor, signal) =>
      api.listDecisions({ user: id, limit: 10, ...(cursor !== undefined && { cursor }) }, { signal }).page(),
    [id],
  )
  const { items } = list.state.value
  return (
    <>
      {items.length > 0 && (
        <ul class="items body">
          {items.map((decision) => (
            <Item key={decision.id} decision={decision} />
          ))}
        </ul>
      )}
      <ListFoot list={list} empty={<p>{t.users.decisions.none}</p>} words={t.users.decisions.shown} />
    </>
  )
}

const Item = ({
  decision: { time, action, resource, effect: sent, rule, request_id: request },
}: {
  readonly decision: Decision
}) => {
  const effect = sent === 'allow' ? 'allow' : 'deny'
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
