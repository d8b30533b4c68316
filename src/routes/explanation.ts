import { z } from 'zod'

import { explainRecord } from '../audit/record-explanation.js'
import { Refusal } from '../domain/refusal.js'
import { viewEntry } from '../layers/4-data/decisions.js'
import type { RequestDecisions } from '../layers/4-data/request-decisions.js'
import { route } from '../layers/compose.js'
import { noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import type { FindSnapshot } from '../policy/past-snapshots.js'
import { DecisionView } from './audit.js'
import { guarded } from './guards.js'

const ExplainedView = DecisionView.extend({ explanation: z.looseObject({ layer: z.string() }).nullable() }).meta({
  id: 'ExplainedDecision',
})

/** GET /audit/requests/{request_id}: the decisions of a request, explained by the rows of their revision. */
export const explanationRoutes = ({
  requests,
  findSnapshot,
}: {
  readonly requests: DataRule<RequestDecisions>
  readonly findSnapshot: FindSnapshot
}): readonly Route[] => [
  route({
    ...guarded('audit:read', noRecord),
    method: 'get',
    path: '/audit/requests/:request_id',
    data: requests,
    params: z.object({ request_id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) }),
    handle: async ({ store, params: { request_id } }) => {
      const { records, more } = await store.of(request_id)
      if (records.length === 0)
        throw new Refusal('not_found', {
          detail:
            'No decision is recorded under this request id. Refusals and allowed reads are recorded within a second, ' +
            'allowed public reads only where the service is configured to.',
        })
      const data = []
      for (const record of records)
        data.push({
          ...viewEntry({ ...record, kind: 'decision', change: null }),
          explanation: explainRecord(record, await findSnapshot(Number(record.revision))),
        })
      return { status: 200, body: { request_id, data, more } }
    },
    documentation: {
      summary: 'Explain a request: its decisions, each with the rows that were considered under its revision',
      tag: 'audit',
      response: z.object({ request_id: z.string(), data: z.array(ExplainedView), more: z.boolean() }),
    },
  }),
]
