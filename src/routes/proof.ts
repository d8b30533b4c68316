import { EVENT_STREAM, eventText } from '../http/event-stream.js'
import type { SigningKey } from '../identity/signing-key.js'
import type { LogProof } from '../layers/4-data/log-proof.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { exportFile, exportText, inText } from './export-text.js'
import { EvidenceQuery, ProofView } from './proof-schemas.js'
import { READING_LOG } from './shared-layers.js'

/** The decision log as evidence: its state, its verification, and a file that proves a period elsewhere. */
export const proofRoutes = ({
  proof,
  key,
}: {
  readonly proof: DataRule<LogProof>
  readonly key: Pick<SigningKey, 'kid' | 'jwk'>
}): readonly Route[] => {
  const reading = { ...READING_LOG, data: proof } as const
  const { kty, crv, x, y } = key.jwk
  return [
    route({
      ...reading,
      path: '/audit/proof',
      handle: async ({ store }) => ({
        status: 200,
        body: { ...(await store.state()), key: { thumbprint: key.kid, jwk: { kty, crv, x, y } } },
      }),
      documentation: {
        id: 'getProof',
        summary: 'Show how far the decision log is proved',
        description: 'Its chains, its checkpoints, and the entries since.',
        tag: 'audit',
        response: ProofView,
      },
    }),
    route({
      ...reading,
      path: '/audit/verification',
      handle: async ({ store, headers }) => ({
        status: 200,
        body: await exportText(store.verify(), { head: '', lines: ({ name, data }) => eventText(name, data) }, headers),
        ...EVENT_STREAM,
      }),
      documentation: {
        id: 'verifyLog',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'Verify the decision log',
        description:
          'Server-sent events `progress` with `done` and `of`, and at the end `verdict` with `whole`, `entries`, ' +
          '`chains`, `checkpoint` and `faults`. It stops when the client disconnects.',
        tag: 'audit',
        types: ['text/event-stream'],
      },
    }),
    route({
      ...reading,
      path: '/audit/evidence',
      query: EvidenceQuery,
      handle: ({ store, query: { from = null, to = null }, headers: client }) =>
        exportFile(store.evidence({ from, to }), inText(), { name: 'evidence', format: 'ndjson', client }),
      documentation: {
        id: 'exportEvidence',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'Export evidence',
        description: 'The log of a period as one signed file, which `linkgate audit verify FILE` can check anywhere.',
        tag: 'audit',
        types: ['application/x-ndjson'],
      },
    }),
  ]
}
