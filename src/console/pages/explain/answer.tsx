import type { DecidingLayer } from '../../../domain/log-filter.js'
import { api } from '../../api'
import { dateAndTime, number } from '../../language/format'
import { t } from '../../language/language'
import { Card } from '../../parts/card'
import { useLoaded } from '../../parts/loaded'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { RowsInOrder } from '../../parts/policy/rows-in-order'
import { may } from '../../parts/service-rights'
import { useNames, type NameOf } from '../../parts/use-names'
import { WhenLoaded } from '../../parts/when-loaded'
import { Ladder, layerNumber, type Bodies } from './ladder'
import { textsOf, type PersonQuestion, type Question } from './question'

type Explained = Awaited<ReturnType<typeof api.explainDecision>>

/** Explains a decision: the four layers, the rows, and who may do it. Needs a key for each question. */
export const Answer = ({
  question,
  revision,
}: {
  readonly question: Question
  /** null: the one in force */
  readonly revision: number | null
}) => {
  const texts = textsOf(question)
  const loaded = useLoaded(
    (signal) =>
      api.explainDecision({ ...texts, action: question.action, ...(revision !== null && { revision }) }, { signal }),
    [],
  )
  const { user, link } = loaded.value ?? {}
  const nameOf = useNames([user?.id ?? null, link?.owner_id ?? null])
  return (
    <WhenLoaded of={loaded}>
      {(explained) => (
        <>
          <Verdict explained={explained} nameOf={nameOf} />
          <div class="answers">
            <WhoMay explained={explained} nameOf={nameOf} />
            {may('audit:read') && question.about === 'person' && <ForReal question={question} />}
          </div>
        </>
      )}
    </WhenLoaded>
  )
}

const Verdict = ({
  explained: { user, link, explanation },
  nameOf,
}: {
  readonly explained: Explained
  readonly nameOf: NameOf
}) => {
  const { endpoint, object, role, inherits, relation, revision } = explanation
  const who = user === null ? t.policy.everyOne(role) : nameOf(user.id)
  const isSuspended = user?.suspended === true
  const stop: DecidingLayer | null = isSuspended ? 'gateway' : explanation.effect === 'allow' ? null : explanation.layer
  const whose =
    link === null ? t.explain.record(relation) : t.explain.linkOf(link.code, relation, nameOf(link.owner_id))
  const bodies: Bodies = {
    gateway: <p>{isSuspended ? t.explain.suspended(who) : t.explain.token(explanation.action)}</p>,
    endpoint: (
      <>
        <p>{endpoint.effect === 'allow' ? t.explain.letIn(role) : t.policy.noEndpoint(role)}</p>
        <RowsInOrder of={endpoint} />
      </>
    ),
    object:
      stop === 'endpoint' || stop === 'gateway' ? (
        <p class="row">
          {t.explain.wouldSay} <EffectWord effect={object.effect} /> <RuleLabel rule={object.rule} />
        </p>
      ) : (
        <>
          <p>
            {whose} {t.policy.counts(role, inherits)}
          </p>
          <RowsInOrder of={object} />
        </>
      ),
    data: <p>{t.explain.dataBody}</p>,
  }
  return (
    <section class="card" aria-labelledby="verdict-title">
      {/* the focus stays on what was asked with */}
      <div class="body" role="status">
        <h2 id="verdict-title" class="answer">
          <EffectWord effect={stop === null ? 'allow' : 'deny'} words={t.explain.verdicts} />{' '}
          {stop !== null && t.explain.atLayer(layerNumber(stop))}{' '}
          {(stop === null || stop === 'object') && <RuleLabel rule={object.rule} />}
        </h2>
        <p class="lead">
          {stop === null
            ? t.explain.may(who)
            : t.explain.gets(who, CODES[stop], stop === 'object' ? object.rule : null)}
        </p>
        <p class="caption">{t.revision(revision)}</p>
      </div>
      <Ladder stop={stop} given={['gateway', 'data']} bodies={bodies} />
    </section>
  )
}

const CODES = {
  gateway: '401 invalid_token',
  endpoint: '403 role_not_allowed',
  object: '403 policy_denied',
  data: '404 not_found',
} as const

const WhoMay = ({
  explained: { who_may: who, link, explanation },
  nameOf,
}: {
  readonly explained: Explained
  readonly nameOf: NameOf
}) => (
  <Card
    title={link === null ? t.explain.whoMay(explanation.action) : t.explain.whoMayLink(explanation.action, link.code)}
  >
    <ul class="body who-may">
      {who.map((each) => (
        <li key={each.who === 'role' ? each.role : ''}>
          {each.who === 'owner' ? t.explain.owner(nameOf(link?.owner_id ?? null)) : t.explain.everyRole(each.role)}{' '}
          <RuleLabel rule={each.rule} />
        </li>
      ))}
      <li class="hint">{who.length === 0 ? t.explain.nobodyMay : t.explain.othersMayNot}</li>
    </ul>
  </Card>
)

/** Real requests with this question, from the log. */
const ForReal = ({ question }: { readonly question: PersonQuestion }) => {
  const { user, link, action } = question
  const loaded = useLoaded(
    (signal) =>
      api.listDecisions({ user, action, ...(link !== null && { link }), limit: 3, count: 'true' }, { signal }).page(),
    [],
  )
  return (
    <Card title={t.explain.forReal}>
      <div class="body">
        <WhenLoaded of={loaded}>
          {({ data, count }) => (
            <>
              <p class="hint">{t.explain.recorded(number(count ?? data.length))}</p>
              <ul class="who-may">
                {data.map(({ id, time, effect, rule, request_id: request }) => (
                  <li key={id}>
                    <a href={`/console/explain?request=${encodeURIComponent(request)}`}>{dateAndTime(time)}</a>{' '}
                    <EffectWord effect={effect} /> <RuleLabel rule={rule} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </WhenLoaded>
      </div>
    </Card>
  )
}
