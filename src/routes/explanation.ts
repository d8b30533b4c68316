import { z } from 'zod'

import { explainRecord } from '../audit/record-explanation.js'
import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import { viewEntry } from '../layers/4-data/decisions.js'
import type { RequestDecision, RequestDecisions } from '../layers/4-data/request-decisions.js'
import { NO_INPUT, noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import type { FindSnapshot } from '../policy/past-snapshots.js'
import type { Snapshot } from '../policy/snapshot.js'
import { DecisionView } from './audit.js'

export interface ExplanationParts {
  readonly requests: DataRule<RequestDecisions>
  readonly findSnapshot: FindSnapshot
}

const Params = z.object({ request_id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) })

const ExplainedView = DecisionView.extend({ explanation: z.looseObject({ layer: z.string() }).nullable() }).meta({
  id: 'ExplainedDecision',
})

const view = (record: RequestDecision, snapshot: Snapshot | null) => ({
  ...viewEntry({ ...record, kind: 'decision', change: null }),
  explanation: explainRecord(record, snapshot),
})

/** GET /audit/requests/{request_id}: why a request was answered as it was, by the rows of its time. */
export const explanationRoutes = ({ requests, findSnapshot }: ExplanationParts): readonly Route[] => [
  route({
    method: 'get',
    path: '/audit/requests/:request_id',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'audit:read', quota: 'caller' },
    endpoint: 'audit:read',
    object: { action: 'audit:read', load: noRecord },
    data: requests,
    params: Params,
    handle: async ({ store, params }) => {
      const { records, more } = await store.of(params.request_id)
      if (records.length === 0)
        throw new Refusal('not_found', {
          detail:
            'No decision is recorded under this request id. Refusals and allowed reads are recorded within a second; allowed public reads only where the service is set to.',
        })
      const data = []
      for (const record of records) data.push(view(record, await findSnapshot(Number(record.revision))))
      return { status: 200, body: { request_id: params.request_id, data, more } }
    },
    documentation: {
      summary:
        'Why a request was answered as it was: its decisions, each with the rows that were looked at under its revision',
      tag: 'audit',
      response: z.object({ request_id: z.string(), data: z.array(ExplainedView), more: z.boolean() }),
    },
  }),
]
