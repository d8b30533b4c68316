import { createEvaluator, type EvaluatorParts } from '../authzen/evaluate.js'
import { Evaluation, Evaluations } from '../authzen/request.js'
import { FixedDocument } from '../http/fixed-document.js'
import { parseInput } from '../input/input.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { NO_DATA, noRecord } from '../layers/rules.js'
import { AccessAddresses, AccessAnswer, AccessAnswers } from './access-schemas.js'
import { PUBLIC_GET, asking } from './shared-layers.js'

const evaluating = {
  method: 'post',
  status: 200,
  ...asking('policy:evaluate', noRecord),
  data: NO_DATA,
  // §10.1.1: every invalid request is a 400
  inputFault: 'invalid_request',
  storesInput: false,
} as const

/** OpenID AuthZEN Authorization API 1.0, for other programs. A deny is an answer, so its status is 200. */
export const accessRoutes = ({
  baseUrl,
  ...parts
}: EvaluatorParts & { readonly baseUrl: string }): readonly Route[] => {
  const { evaluate, evaluateAll } = createEvaluator(parts)
  const addresses = new FixedDocument(
    JSON.stringify({
      policy_decision_point: baseUrl,
      access_evaluation_endpoint: `${baseUrl}/access/v1/evaluation`,
      access_evaluations_endpoint: `${baseUrl}/access/v1/evaluations`,
    }),
  )
  return [
    route({
      ...evaluating,
      path: '/access/v1/evaluation',
      body: Evaluation,
      handle: async ({ body, snapshot }) => ({ status: 200, body: await evaluate(snapshot, body) }),
      documentation: {
        id: 'evaluateAccess',
        example: {
          body: {
            subject: { type: 'user', id: '7' },
            action: { name: 'update' },
            resource: { type: 'link', id: 'spring' },
          },
          answer: { decision: true },
        },
        summary: 'Evaluate a request (AuthZEN)',
        description: 'Whether a subject may perform an action on a resource.',
        tag: 'access',
        response: AccessAnswer,
      },
    }),
    route({
      ...evaluating,
      path: '/access/v1/evaluations',
      body: Evaluations,
      handle: async ({ body, snapshot, deadline }) => {
        if (body.evaluations?.length)
          return { status: 200, body: { evaluations: await evaluateAll(snapshot, body, deadline) } }
        // §7.1: without items the request is a single evaluation
        const single = parseInput(body, Evaluation, 'invalid_request', { stored: false })
        return { status: 200, body: await evaluate(snapshot, single) }
      },
      documentation: {
        id: 'evaluateManyAccesses',
        example: {
          body: {
            subject: { type: 'user', id: '7' },
            action: { name: 'read' },
            evaluations: [{ resource: { type: 'link', id: 'spring' } }, { resource: { type: 'link', id: 'summer' } }],
          },
          answer: { evaluations: [{ decision: true }, { decision: false }] },
        },
        summary: 'Evaluate many requests at once (AuthZEN)',
        tag: 'access',
        response: AccessAnswers,
      },
    }),
    route({
      ...PUBLIC_GET,
      path: '/.well-known/authzen-configuration',
      handle: () => ({
        status: 200,
        body: addresses,
        headers: { 'Cache-Control': 'public, max-age=300' },
      }),
      documentation: {
        id: 'getAuthzenConfiguration',
        summary: 'Get the URLs of the AuthZEN endpoints (§9)',
        tag: 'access',
        tagged: 'read',
        response: AccessAddresses,
      },
    }),
  ]
}
