import { LONGEST_REQUEST_ID } from '../../../domain/request-id.js'
import { api } from '../../api'
import { dateAndTime } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Field } from '../../parts/field'
import { handleSubmit, textOf } from '../../parts/form'
import { useLoaded } from '../../parts/loaded'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { Note } from '../../parts/note'
import { RowsInOrder } from '../../parts/policy/rows-in-order'
import { useNames, type NameOf } from '../../parts/use-names'
import { WhenLoaded } from '../../parts/when-loaded'
import { Ladder, layerNumber, type Bodies } from './ladder'

type RecordedDecision = Awaited<ReturnType<typeof api.explainRequest>>['data'][number]

/** Explains a past request by its id. */
export const RequestTab = ({
  request,
  off,
  onAsk,
}: {
  readonly request: string
  /** why the caller may not read the log */
  readonly off: string | null
  readonly onAsk: (request: string) => unknown
}) => (
  <>
    <form class="in-force-on" onSubmit={handleSubmit((form) => off === null && onAsk(textOf(form, 'request').trim()))}>
      <Field label={t.explain.requestId} hint={t.explain.requestHint}>
        {(names) => (
          <input
            {...names}
            key={request}
            name="request"
            defaultValue={request}
            required
            maxLength={LONGEST_REQUEST_ID}
            class="mono"
          />
        )}
      </Field>
      <Button kind="main" type="submit" off={off}>
        {t.explain.explain}
      </Button>
    </form>
    {request !== '' && off === null && <Decisions key={request} request={request} />}
  </>
)

const Decisions = ({ request }: { readonly request: string }) => {
  const loaded = useLoaded((signal) => api.explainRequest(request, { signal }), [])
  const { value, problem } = loaded
  const nameOf = useNames(value?.data.map(({ subject }) => subject.id) ?? [])
  if (problem?.status === 404) return <Note title={t.explain.notRecorded}>{t.explain.notRecordedHint}</Note>
  return (
    <WhenLoaded of={loaded}>
      {({ data, more }) => (
        <>
          {data.map((decision) => (
            <DecisionCard key={decision.id} decision={decision} nameOf={nameOf} />
          ))}
          {more && <p class="caption">{t.explain.more}</p>}
        </>
      )}
    </WhenLoaded>
  )
}

const DecisionCard = ({
  decision: { id, time, layer, subject, action, resource, effect, rule, status, revision, explanation },
  nameOf,
}: {
  readonly decision: RecordedDecision
  readonly nameOf: NameOf
}) => {
  // an allowed request passed all layers; the log names the last one that made a decision
  const stop = effect === 'allow' ? null : layer
  const who = subject.id === null ? t.policy.everyOne(subject.role) : `${nameOf(subject.id)} (${subject.role})`
  return (
    <section class="card" aria-labelledby={`decision-${id}`}>
      <div class="body">
        <h2 id={`decision-${id}`} class="answer">
          <EffectWord effect={stop === null ? 'allow' : 'deny'} words={t.explain.verdicts} />{' '}
          {stop !== null && t.explain.atLayer(layerNumber(stop))} <RuleLabel rule={rule} />
        </h2>
        <p class="lead">{t.explain.asked(who, action, resource.code ?? resource.id)}</p>
        <p class="caption">
          <time dateTime={time}>{dateAndTime(time)}</time> · {status} · {t.revision(revision)}
        </p>
        {explanation !== null && 'agrees' in explanation && !explanation.agrees && (
          <Note kind="lit" title={t.explain.otherModel} />
        )}
      </div>
      <Ladder stop={stop} bodies={bodiesOf(stop, explanation)} />
    </section>
  )
}

const bodiesOf = (stop: string | null, explanation: RecordedDecision['explanation']): Bodies => {
  if (explanation === null || 'why' in explanation) {
    const why = explanation === null ? t.explain.notSaid : t.explain.why(explanation.why)
    return stop === null ? {} : { [stop]: <p>{why}</p> }
  }
  const { role, inherits, endpoint, object } = explanation
  return {
    endpoint: <RowsInOrder of={endpoint} />,
    // a refusal by the endpoint layer has none: the record was never loaded
    object: object && (
      <>
        <p>{t.policy.counts(role, inherits)}</p>
        <RowsInOrder of={object} />
      </>
    ),
  }
}
