import { isAction } from '../domain/action.js'
import { explain } from '../policy/explanation.js'
import type { Explanation } from '../policy/explanation.js'
import { relationOf, roleOf } from '../policy/snapshot.js'
import type { Snapshot } from '../policy/snapshot.js'
import { createEntities } from './entities.js'
import type { EntityParts } from './entities.js'
import { Evaluation, completed } from './request.js'
import type { Evaluations } from './request.js'

/** An answer of the API; `context` only where the caller asked why. */
export interface Answer {
  readonly decision: boolean
  readonly context?: Readonly<Record<string, unknown>>
}

/**
 * Answers AuthZEN questions under one policy revision: `can()`, so the object rule alone. Whether the role may call an
 * endpoint of this service at all is told in an explanation, and decides nothing here.
 */
export const createEvaluator = (parts: EntityParts) => {
  const { subjectOf, recordOf } = createEntities(parts)

  /** One question. An action that is not of our form after its prefix is one that nobody may do. */
  const evaluate = async (snapshot: Snapshot, { subject, action, resource, context }: Evaluation): Promise<Answer> => {
    const name = action.name.includes(':') ? action.name : `${resource.type}:${action.name}`
    const asksWhy = context?.['explain'] === true
    if (!isAction(name))
      return denial(asksWhy, { reason: `${name} is no action: <resource>:<verb>, each [a-z][a-z0-9_]{0,31}` })
    const asked = await subjectOf(subject)
    const record = await recordOf(resource, asked)
    return {
      decision: snapshot.can(asked.subject, name, record),
      ...(asksWhy
        ? { context: contextOf(explain(snapshot, roleOf(asked.subject), name, relationOf(asked.subject, record))) }
        : {}),
    }
  }

  const evaluateItem = async (snapshot: Snapshot, item: unknown): Promise<Answer> => {
    const question = Evaluation.safeParse(item)
    if (question.success) return evaluate(snapshot, question.data)
    const asksWhy = Evaluation.pick({ context: true }).safeParse(item).data?.context?.['explain'] === true
    const [fault] = question.error.issues
    return denial(asksWhy, {
      error: { status: 400, message: `${fault?.path.join('.') || 'the item'}: ${fault?.message}` },
    })
  }

  return {
    evaluate,

    /**
     * §7: items in order, each completed from the defaults; the two short-circuits end the list with the item that
     * decided.
     */
    evaluateAll: async (
      snapshot: Snapshot,
      { evaluations = [], options, ...defaults }: Evaluations,
    ): Promise<readonly Answer[]> => {
      const semantic = options?.evaluations_semantic ?? 'execute_all'
      const answers: Answer[] = []
      for (const item of evaluations) {
        const answer = await evaluateItem(snapshot, completed(item, defaults))
        answers.push(answer)
        if (semantic === (answer.decision ? 'permit_on_first_permit' : 'deny_on_first_deny')) break
      }
      return answers
    },
  }
}

const denial = (asksWhy: boolean, context: Readonly<Record<string, unknown>>): Answer => ({
  decision: false,
  ...(asksWhy ? { context } : {}),
})

/** The explanation of the object rule, which decided; `endpoint` beside it. */
const contextOf = ({
  revision,
  role,
  inherits,
  action,
  relation,
  object: { rule, row, considered, not_listed },
  endpoint,
}: Explanation) => ({
  role,
  inherits,
  action,
  relation,
  layer: 'object',
  rule,
  row,
  revision,
  considered,
  not_listed,
  endpoint,
})
