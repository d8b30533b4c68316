import { z } from 'zod'

/** The information model of OpenID AuthZEN Authorization API 1.0, §5. Members that are not named here are ignored. */
const Properties = z.record(z.string(), z.unknown())

const Subject = z.object({ type: z.string().min(1), id: z.string().min(1), properties: Properties.optional() })
const Resource = z.object({ type: z.string().min(1), id: z.string().min(1), properties: Properties.optional() })
const Action = z.object({ name: z.string().min(1), properties: Properties.optional() })
const Context = z.record(z.string(), z.unknown())

/** §6.1: one question. */
export const Evaluation = z.object({
  subject: Subject,
  action: Action,
  resource: Resource,
  context: Context.optional(),
})
export type Evaluation = z.infer<typeof Evaluation>

export const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const

/**
 * §7.1: many questions, with defaults for what they leave out; a default may itself leave something out. Items stay
 * unparsed: one that is bad is answered with a `false` of its own, and the others with what they are.
 */
export const Evaluations = z.object({
  subject: Subject.partial().optional(),
  action: Action.partial().optional(),
  resource: Resource.partial().optional(),
  context: Context.optional(),
  evaluations: z.array(z.unknown()).max(1_000).optional(),
  options: z.object({ evaluations_semantic: z.enum(SEMANTICS).default('execute_all') }).optional(),
})
export type Evaluations = z.infer<typeof Evaluations>
type Defaults = Pick<Evaluations, 'subject' | 'action' | 'resource' | 'context'>

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What an item says of an entity in place of the default; only the members that name it fall back, one by one. */
const over = (named: object, given: unknown): unknown => (isObject(given) ? { ...named, ...given } : given)

/**
 * An item completed from the defaults. What it holds replaces the default as a whole (§7.1.1), so that no property of
 * one resource is taken for another's; a `type`, an `id` or a `name` that it leaves out is the default's (certification
 * scenario, 3.2.7).
 */
export const completed = (item: unknown, { subject, action, resource, context }: Defaults): unknown => {
  if (!isObject(item)) return item
  const given = new Map<string, unknown>(Object.entries(item))
  return {
    subject: given.has('subject') ? over({ type: subject?.type, id: subject?.id }, given.get('subject')) : subject,
    action: given.has('action') ? over({ name: action?.name }, given.get('action')) : action,
    resource: given.has('resource')
      ? over({ type: resource?.type, id: resource?.id }, given.get('resource'))
      : resource,
    context: given.has('context') ? given.get('context') : context,
  }
}
