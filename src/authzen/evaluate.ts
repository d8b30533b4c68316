import type { Decision } from '../domain/decision.js'
import { isAction } from '../domain/action.js'
import type { Link, Owned } from '../domain/link.js'
import { isUserRole } from '../domain/role.js'
import type { Subject, User } from '../domain/user.js'
import type { Snapshot } from '../policy/snapshot.js'
import { Evaluation } from './request.js'
import type { Evaluations } from './request.js'

/** An answer of the API; `context` only where the caller asked why. */
export interface Answer {
  readonly decision: boolean
  readonly context?: Readonly<Record<string, unknown>>
}

export interface Evaluator {
  readonly findUser: (id: string) => Promise<User | null>
  readonly findLink: (code: string) => Promise<Link | null>
}

/** Answers AuthZEN questions under one policy revision. */
export const createEvaluator = ({ findUser, findLink }: Evaluator) => {
  /**
   * Who is asked about. Ours take their role from their row, whatever the question claims. Others have the role that the
   * question gives them; one who has none, or one that is no role, is nobody.
   */
  const subjectOf = async ({ type, id, properties }: Evaluation['subject']): Promise<Subject> => {
    if (type === 'user') {
      const user = await findUser(id)
      if (user !== null) return user
    }
    const role = properties?.['role']
    return type !== 'anonymous' && isUserRole(role) ? { id, role } : null
  }

  /** A link of ours by its code has the owner of its row; a record of another application has the owner that is given. */
  const recordOf = async ({ type, id, properties }: Evaluation['resource']): Promise<Owned | null> => {
    if (type === 'link') return findLink(id)
    const owner = properties?.['owner_id']
    return typeof owner === 'string' ? { owner_id: owner } : null
  }

  /** One question. An action that is not of our form after its prefix is one that nobody may do. */
  const evaluate = async (snapshot: Snapshot, { subject, action, resource, context }: Evaluation): Promise<Answer> => {
    const name = action.name.includes(':') ? action.name : `${resource.type}:${action.name}`
    if (!isAction(name)) return { decision: false }
    const decision = snapshot.decide(await subjectOf(subject), name, await recordOf(resource))
    return { decision: decision.effect === 'allow', ...(context?.['explain'] === true ? { context: explanationOf(decision) } : {}) }
  }

  return {
    evaluate,

    /** §7: items in order, each completed from the defaults; the two short-circuits end the list with the item that decided. */
    evaluateAll: async (snapshot: Snapshot, { evaluations = [], options, ...defaults }: Evaluations): Promise<readonly Answer[]> => {
      const semantic = options?.evaluations_semantic ?? 'execute_all'
      const answers: Answer[] = []
      for (const item of evaluations) {
        const question = Evaluation.safeParse(typeof item === 'object' && item !== null ? { ...defaults, ...item } : item)
        const answer = question.success ? await evaluate(snapshot, question.data) : { decision: false }
        answers.push(answer)
        if (semantic === (answer.decision ? 'permit_on_first_permit' : 'deny_on_first_deny')) break
      }
      return answers
    },
  }
}

const explanationOf = ({ role, action, relation, rule, row, revision }: Decision) => ({ role, action, relation, rule, row, revision })
