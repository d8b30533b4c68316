import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useMemo } from 'preact/hooks'

import type { PolicyRow } from '../../../domain/policy-row.js'
import { number } from '../../language/format'
import { t } from '../../language/language'
import { Button } from '../../parts/button'
import { Card } from '../../parts/card'
import { handleSubmit, textOf } from '../../parts/form'
import { EffectWord, RuleLabel } from '../../parts/matrix/verdict'
import { Icon } from '../../parts/icon'
import { Note } from '../../parts/note'
import { inheritsIn } from '../../parts/policy/inherits'
import { rowText } from '../../parts/policy/row'
import { rowWords } from '../../parts/policy/row-words'
import { useFormKey } from '../../parts/use-form-key'
import { ActionField, RelationField, RoleField, namesIn } from '../explain/name-fields'
import { questionIn, textsOf, type Question, type RoleQuestion } from '../explain/question'
import { Steps } from './steps'
import { walkEndpoint, walkObject, type Walk } from './walk'

const EXAMPLE: RoleQuestion = { about: 'role', role: 'editor', action: 'link:delete', relation: 'other' }

interface WalkProps {
  readonly matchers: { readonly object: string; readonly endpoint: string }
  readonly rows: readonly PolicyRow[]
}

/** Evaluates a question with the matchers, row by row. */
export const WalkCard = ({ matchers, rows }: WalkProps) => {
  const { query, route, path } = useLocation()
  const found = questionIn({ ...query, user: undefined })
  const question = found?.about === 'role' ? found : EXAMPLE
  const shown = useFormKey(JSON.stringify(question))
  return (
    <Card title={t.model.walk}>
      <WalkForm
        key={shown.key}
        rows={rows}
        question={question}
        onAsk={(asked) => {
          shown.keepFor(JSON.stringify(asked))
          route(`${path}?${new URLSearchParams(textsOf(asked))}`, true)
        }}
      />
      <Walked matchers={matchers} rows={rows} question={question} />
    </Card>
  )
}

const WalkForm = ({
  rows,
  question,
  onAsk,
}: {
  readonly rows: readonly PolicyRow[]
  readonly question: RoleQuestion
  readonly onAsk: (question: Question) => unknown
}) => {
  const role = useSignal(question.role)
  const { roles, actions } = useMemo(() => namesIn(rows), [rows])
  const ask = (form: HTMLFormElement) => {
    const [action, relation] = [textOf(form, 'action'), textOf(form, 'relation')]
    const asked = questionIn({ role: role.value, action, relation })
    if (asked !== null) void onAsk(asked)
  }
  return (
    <form class="body stack" onSubmit={handleSubmit(ask)}>
      <p class="lead">{t.model.walkLead}</p>
      <div class="fields">
        <RoleField roles={roles} chosen={role} />
        <ActionField actions={actions} chosen={question.action} />
        <RelationField role={role.value} isOwn={question.relation === 'own'} />
      </div>
      <div class="row">
        <Button kind="main" type="submit">
          {t.model.walkIt}
        </Button>
      </div>
    </form>
  )
}

const Walked = ({ matchers, rows, question }: WalkProps & { readonly question: RoleQuestion }) => {
  const walks = useMemo(() => {
    const inherits = inheritsIn(rows)
    try {
      return {
        endpoint: walkEndpoint(matchers.endpoint, rows, question, inherits),
        object: walkObject(matchers.object, rows, question, inherits),
      }
    } catch (error) {
      if (error instanceof SyntaxError) return error.message
      throw error
    }
  }, [matchers.object, matchers.endpoint, rows, JSON.stringify(question)])
  if (typeof walks === 'string')
    return (
      <div class="body">
        <Note kind="lit" title={t.model.notRead}>
          {walks}
        </Note>
      </div>
    )
  const { endpoint, object } = walks
  const isLetIn = endpoint.match !== null
  return (
    <div class="body stack">
      <div>
        <h3>{t.model.first}</h3>
        <p>
          <EffectWord effect={isLetIn ? 'allow' : 'deny'} words={t.policy.yesOrNo} />
        </p>
        <WalkedRows walk={endpoint} />
      </div>
      <div>
        <h3>{t.model.second}</h3>
        <p class="row">
          <EffectWord effect={object.match?.effect ?? 'deny'} /> <RuleLabel rule={object.match?.rule ?? 'default'} />
          {object.match === null && <span class="caption">{t.policy.noneMatches}</span>}
        </p>
        <WalkedRows walk={object} />
      </div>
    </div>
  )
}

/** How many rows at the end are shown; earlier ones did not match either. */
const MOST = 60

const WalkedRows = ({ walk: { rows, match, notReached } }: { readonly walk: Walk<PolicyRow> }) => {
  const shown = rows.slice(-MOST)
  const around = rows.map(({ row }) => row)
  return (
    <>
      {shown.length < rows.length && <p class="caption">{t.model.before(number(rows.length - shown.length))}</p>}
      <ol class="walk">
        {shown.map(({ row, step }) => (
          <li key={rowText(row)}>
            <details open={row === match}>
              <summary>
                <i aria-hidden="true" class={step.value === true ? 'yes' : 'no'}>
                  {step.value === true ? '✓' : '✗'}
                </i>
                <code>{rowText(row)}</code>
                <span class="caption">
                  {step.value === true ? t.model.matches : t.model.noMatch} · {rowWords(row, around)}
                </span>
                <Icon name="down" />
              </summary>
              <Steps step={step} />
            </details>
          </li>
        ))}
      </ol>
      {notReached > 0 && <p class="caption">{t.model.after(number(notReached))}</p>}
    </>
  )
}
