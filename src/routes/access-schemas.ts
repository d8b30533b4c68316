import { z } from 'zod'

export const AccessAnswer = z
  .object({
    decision: z.boolean().describe('true: allowed'),
    context: z
      .record(z.string().max(200), z.unknown())
      .optional()
      .describe('the rule, the row and the revision that decided'),
  })
  .meta({ id: 'Evaluated' })

export const AccessAnswers = z.union([
  z.object({ evaluations: z.array(AccessAnswer).max(1_000).describe('in the order of the requests') }),
  AccessAnswer,
])

export const AccessAddresses = z.object({
  policy_decision_point: z.url().max(2_048).describe('this service'),
  access_evaluation_endpoint: z.url().max(2_048).describe('evaluates one request'),
  access_evaluations_endpoint: z.url().max(2_048).describe('evaluates many requests'),
})
