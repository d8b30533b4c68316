import { explainRecord } from '../../audit/record-explanation.js'
import type { RecordExplanation } from '../../audit/record-explanation.js'
import { requestDecisions } from '../../layers/4-data/request-decisions.js'
import type { RequestDecision } from '../../layers/4-data/request-decisions.js'
import { PolicyError } from '../../policy/policy-error.js'
import { print } from '../session.js'
import { withProgress } from '../progress.js'
import { renderExplanation, renderRefusal } from './render-explanation.js'
import { snapshotOfRevision, withPolicy } from './session.js'
import type { PolicySession } from './session.js'

/**
 * Prints the decisions of a request, each with the rows that were looked at under its revision. Throws PolicyError
 * where there is none.
 */
export const explainRequest = async (requestId: string, { json }: { readonly json?: true }): Promise<void> =>
  withPolicy(async (session) => {
    const { records, more } = await requestDecisions(session.database).of(requestId)
    if (records.length === 0) throw new PolicyError(`no decision is recorded under the request id ${requestId}`)
    const data = await withProgress('building the policy of that time', async () => {
      const explained = []
      for (const record of records) explained.push({ record, explanation: await explainedBy(session, record) })
      return explained
    })
    print(
      json
        ? JSON.stringify({
            request_id: requestId,
            data: data.map(({ record, explanation }) => ({
              ...record,
              revision: Number(record.revision),
              explanation,
            })),
            more,
          })
        : [
            ...data.map(({ record, explanation }) => `${recordText(record)}\n${explanationText(explanation)}`),
            ...(more ? ['and older ones'] : []),
          ].join('\n\n'),
    )
  })

/** The gateway refuses before there is a revision, and its refusals take none to explain. */
const explainedBy = async (session: PolicySession, record: RequestDecision): Promise<RecordExplanation | null> =>
  explainRecord(
    record,
    Number(record.revision) === 0 ? null : await snapshotOfRevision(session, Number(record.revision)),
  )

const recordText = ({
  time,
  subject_id,
  subject_role,
  action,
  resource_code,
  effect,
  rule,
  layer,
  status,
}: RequestDecision): string =>
  `${time.toISOString()} ${subject_id === null ? subject_role : `user ${subject_id} (${subject_role})`} ${action}${resource_code === null ? '' : ` ${resource_code}`}: ${effect} ${rule} by the ${layer} layer, ${status}`

const explanationText = (explanation: RecordExplanation | null): string => {
  if (explanation === null) return 'the rows of that revision cannot be read'
  if ('code' in explanation) return explanation.why
  const agrees = explanation.agrees
    ? []
    : ['the rows of that revision no longer give this answer: model.conf has changed since']
  return ['object' in explanation ? renderExplanation(explanation) : renderRefusal(explanation), ...agrees].join('\n')
}
