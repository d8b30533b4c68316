import { useLocation } from 'preact-iso/router'

import { positiveIntegerIn } from '../../../domain/positive-integer.js'
import { t } from '../../language/language'
import { CopyButton } from '../../parts/copy-button'
import { Page } from '../../parts/page'
import { RevisionMenu } from '../../parts/policy/revision-menu'
import { reasonFor } from '../../parts/service-rights'
import { urlWith } from '../../parts/url-with'
import { useFormKey } from '../../parts/use-form-key'
import { useLateRoute } from '../../parts/use-late-route'
import { Answer } from './answer'
import { ExplainTabs } from './explain-tabs'
import { questionIn, textsOf, type Question } from './question'
import { QuestionForm } from './question-form'
import { RequestTab } from './request-tab'

/** Explains a decision, or a past request. The URL keeps the question. */
export const ExplainPage = () => {
  const { query, route, path } = useLocation()
  const lateRoute = useLateRoute()
  const request = query['request']
  const question = questionIn(query)
  const revision = positiveIntegerIn(query['revision'])
  const form = useFormKey(JSON.stringify(question))
  const show = (asked: Question | null, revision: number | null) =>
    lateRoute(urlWith(path, { ...(asked && textsOf(asked)), revision }))
  return (
    <Page
      title={t.nav.explain}
      actions={
        (question !== null || (request ?? '') !== '') && (
          <CopyButton text={location.href} label={t.explain.copyLabel} words={t.explain.copy} />
        )
      }
    >
      <p class="lead">{t.explain.lead}</p>
      <ExplainTabs here={request === undefined ? 'question' : 'request'} />
      {request === undefined ? (
        <>
          <QuestionForm
            key={form.key}
            question={question}
            off={reasonFor('policy:evaluate')}
            onAsk={(asked) => {
              form.keepFor(JSON.stringify(asked))
              show(asked, revision)
            }}
          />
          <div class="row">
            <RevisionMenu chosen={revision} shown={null} onChoose={(under) => show(question, under)} />
          </div>
          {question !== null && (
            <Answer key={`${JSON.stringify(question)} ${revision}`} question={question} revision={revision} />
          )}
        </>
      ) : (
        <RequestTab
          request={request}
          off={reasonFor('audit:read')}
          onAsk={(asked) => route(`${path}?${new URLSearchParams({ request: asked })}`)}
        />
      )}
    </Page>
  )
}
