import { api, type Decision, type LogEntry } from '../../api'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { Fact } from '../../parts/fact'
import { Icon } from '../../parts/icon'
import { LoadProblem } from '../../parts/load-problem'
import { useLoaded } from '../../parts/loaded'
import { EffectWord } from '../../parts/matrix/verdict'
import { policyRowIn, rowText } from '../../parts/policy/row'
import type { Judged } from '../../parts/policy/rows-in-order'
import { rowWords } from '../../parts/policy/row-words'
import type { NameOf } from '../../parts/use-names'
import { layerNumber } from '../explain/ladder'
import { changedFields } from './change-words'
import { isDecision } from './log-line'
import { recordWords } from './record-words'
import type { Term } from './query'

/** The hidden details of a line, the reason for the decision, and links to related pages. */
export const LineDetails = ({
  line,
  nameOf,
  addressWith,
}: {
  readonly line: LogEntry
  readonly nameOf: NameOf
  /** the URL of this page with additional search terms */
  readonly addressWith: (terms: readonly Term[]) => string
}) => {
  const { subject, resource, request_id: request, token_id: token, revision, change } = line
  const about = recordWords(line, nameOf)
  const only = (name: string, value: string) => addressWith([{ name, value }])
  return (
    <div class="line-details">
      <div class="stack">
        {isDecision(line) && <Why decision={line} />}
        <div class="row">
          {isDecision(line) && request !== '' && (
            <a class="button" href={`/console/explain?request=${encodeURIComponent(request)}`}>
              <Icon name="ladder" />
              {t.nav.explain}
            </a>
          )}
          {subject.id !== null && (
            <a class="button" href={only('user', subject.id)}>
              <Icon name="user" />
              {t.decisions.only(nameOf(subject.id))}
            </a>
          )}
          {resource.type === 'link' && resource.code !== null && (
            <a class="button" href={only('link', resource.code)}>
              <Icon name="link" />
              {t.decisions.only(resource.code)}
            </a>
          )}
          {revision > 0 && (
            <a class="button" href={only('revision', String(revision))}>
              <Icon name="clock" />
              {t.decisions.underRevision(number(revision))}
            </a>
          )}
        </div>
      </div>
      <dl class="facts">
        <Fact name={t.request}>
          {request === '' ? (
            t.none
          ) : (
            <a href={only('request', request)}>
              <code>{request}</code>
            </a>
          )}
        </Fact>
        {resource.type === 'link' && resource.code !== null ? (
          <Fact name={t.decisions.record}>
            <a href={`/console/links/${encodeURIComponent(resource.code)}`}>{resource.code}</a>
            {resource.id !== null && <>, {t.decisions.number(resource.id)}</>}
          </Fact>
        ) : (
          <Fact name={t.decisions.record}>{about === '' ? t.none : about}</Fact>
        )}
        <Fact name={t.decisions.token}>{token === null ? t.none : <code>{token}</code>}</Fact>
        {subject.network !== null && <Fact name={t.decisions.network}>{subject.network}</Fact>}
        <Fact name={t.policy.revision}>
          {revision > 0 ? (
            <a href={`/console/revisions?revision=${revision}`}>{number(revision)}</a>
          ) : (
            t.decisions.beforeAny
          )}
        </Fact>
        <Fact name={t.decisions.entry}>{line.id}</Fact>
        {changedFields(change).map(([field, value]) => (
          <Fact key={field} name={t.decisions.field(field)}>
            {value}
          </Fact>
        ))}
      </dl>
    </div>
  )
}

/** No decision has this request id, or the service does not accept it. */
const NOT_THERE: ReadonlySet<number> = new Set([400, 404, 422])

const Why = ({ decision: { id, request_id: request, effect, layer } }: { readonly decision: Decision }) => {
  const loaded = useLoaded(
    async (signal) => {
      if (request === '') return null
      const { data } = await api.explainRequest(request, { signal })
      return data.find((each) => each.id === id)?.explanation ?? null
    },
    [id],
  )
  const { value, problem, busy } = loaded
  return (
    <>
      <p class="answer">
        <EffectWord effect={effect} words={t.explain.verdicts} />{' '}
        {effect === 'deny' && t.explain.atLayer(layerNumber(layer))}
      </p>
      {problem !== null && !NOT_THERE.has(problem.status) && <LoadProblem of={loaded} />}
      {value === null ? (
        <p class="hint">{busy ? t.loading : t.explain.notSaid}</p>
      ) : 'why' in value ? (
        <p>{t.explain.why(value.why)}</p>
      ) : (
        <DecidingRow of={value.object ?? value.endpoint} noRow={t.policy.noEndpoint(value.role)} />
      )}
    </>
  )
}

const DecidingRow = ({ of: { considered }, noRow }: { readonly of: Judged; readonly noRow: string }) => {
  const deciding = considered.find(({ outcome }) => outcome === 'decides')?.row
  if (deciding === undefined) return <p>{considered.length === 0 ? noRow : t.policy.noneMatches}</p>
  const rows = considered.map(({ row }) => row)
  const priority = policyRowIn(deciding)?.ptype === 'p' ? deciding['priority'] : null
  return (
    <p>
      {rowWords(deciding, rows)}
      {typeof priority === 'number' && <>. {t.policy.rowSays(priority)}</>}
      <code class="raw">{rowText(deciding)}</code>
    </p>
  )
}
