import { z } from 'zod'

import { isObject } from '../domain/is-object.js'

/** Maximum length of types, ids and names. */
const MOST_TEXT = 64 * 1_024

/** The information model of OpenID AuthZEN Authorization API 1.0, §5. Members that are not named here are ignored. */
const Properties = z
  .record(z.string().max(200), z.unknown())
  .optional()
  .describe('anything; see docs/authzen.md for what is understood')
const Entity = z.object({
  type: z.string().min(1).max(MOST_TEXT).describe('such as `user` or `link`'),
  id: z.string().min(1).max(MOST_TEXT).describe('such as the id of a user or the code of a link'),
  properties: Properties,
})
const Action = z.object({
  name: z.string().min(1).max(MOST_TEXT).describe('such as `read`, or whole: `link:read`'),
  properties: Properties,
})

/** §6.1: a single evaluation. */
export const Evaluation = z.object({
  subject: Entity.describe('who'),
  action: Action.describe('does what'),
  resource: Entity.describe('to what'),
  context: Properties,
})
export type Evaluation = z.infer<typeof Evaluation>

/**
 * §7.1: many evaluations, with defaults for omitted members. Items are parsed one by one: an invalid one is answered
 * `false`, the others as usual.
 */
export const Evaluations = z.object({
  subject: Entity.partial().optional().describe('for items that name none'),
  action: Action.partial().optional().describe('for items that name none'),
  resource: Entity.partial().optional().describe('for items that name none'),
  context: Properties,
  evaluations: z.array(z.unknown()).max(1_000).optional().describe('questions, each as for one evaluation'),
  options: z
    .object({
      evaluations_semantic: z
        .enum(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'])
        .default('execute_all')
        .describe('whether it ends with the first deny, or the first permit'),
    })
    .optional()
    .describe('how the questions are answered'),
})
export type Evaluations = z.infer<typeof Evaluations>

const complete = (given: unknown, fallback: object | undefined, identity: object): unknown => {
  if (given === undefined) return fallback
  return isObject(given) ? { ...identity, ...given } : given
}

/**
 * Completes an item from the defaults. An entity of the item replaces the default as a whole (§7.1.1), so that no
 * property of one resource counts for another; only a missing `type`, `id` or `name` comes from the default
 * (certification scenario, 3.2.7).
 */
export const completeItem = (item: unknown, { subject, action, resource, context }: Evaluations): unknown =>
  isObject(item)
    ? {
        subject: complete(item['subject'], subject, { type: subject?.type, id: subject?.id }),
        action: complete(item['action'], action, { name: action?.name }),
        resource: complete(item['resource'], resource, { type: resource?.type, id: resource?.id }),
        context: complete(item['context'], context, {}),
      }
    : item
