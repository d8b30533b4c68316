import { z } from 'zod'

/** The information model of OpenID AuthZEN Authorization API 1.0, §5. Members that are not named here are ignored. */
const Properties = z.record(z.string(), z.unknown())

const Subject = z.object({ type: z.string().min(1), id: z.string().min(1), properties: Properties.optional() })
const Resource = z.object({ type: z.string().min(1), id: z.string().min(1), properties: Properties.optional() })
const Action = z.object({ name: z.string().min(1), properties: Properties.optional() })
const Context = z.record(z.string(), z.unknown())

/** §6.1: one question. */
export const Evaluation = z.object({ subject: Subject, action: Action, resource: Resource, context: Context.optional() })
export type Evaluation = z.infer<typeof Evaluation>

export const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const

/**
 * §7.1: many questions, with defaults for what they leave out. Items stay unparsed: one that is bad is answered with a
 * `false` of its own, and the others with what they are.
 */
export const Evaluations = z.object({
  subject: Subject.optional(),
  action: Action.optional(),
  resource: Resource.optional(),
  context: Context.optional(),
  evaluations: z.array(z.unknown()).max(1_000).optional(),
  options: z.object({ evaluations_semantic: z.enum(SEMANTICS).default('execute_all') }).optional(),
})
export type Evaluations = z.infer<typeof Evaluations>
