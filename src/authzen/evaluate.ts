import { isAction } from '../domain/action.js'
import type { Deadline } from '../domain/deadline.js'
import { isId } from '../domain/id.js'
import type { FindLink, Owned } from '../domain/link.js'
import { isUserRole } from '../domain/role.js'
import type { FindUser, Subject } from '../domain/user.js'
import { faultMessage } from '../input/fault-message.js'
import { explain } from '../policy/explanation.js'
import { relationOf, roleOf, type Snapshot } from '../policy/snapshot.js'
import { Evaluation, completeItem, type Evaluations } from './request.js'

export interface EvaluatorParts {
  readonly findUser: FindUser
  readonly findLink: FindLink
}

/** Has a `context` only if the caller asked for an explanation. */
interface Answer {
  readonly decision: boolean
  readonly context?: object
}

/** The subject of an evaluation; `isOurs`: a user of this service. */
interface Asker {
  readonly subject: Subject
  readonly isOurs: boolean
}

/**
 * Answers AuthZEN evaluations with `can()`, that is by the object rows. The endpoint rows do not affect the decision;
 * they only appear in the explanation.
 */
export const createEvaluator = ({ findUser, findLink }: EvaluatorParts) => {
  /**
   * A user of this service has their stored role, whatever the request claims, and none once they are deleted. Other
   * subjects have the claimed role.
   */
  const findAsker = async ({ type, id, properties }: Evaluation['subject']): Promise<Asker> => {
    const user = type === 'user' ? await findUser(id) : null
    if (user !== null) return { subject: user, isOurs: true }
    if (type === 'user' && isId(id)) return { subject: null, isOurs: false }
    const role = properties?.['role']
    return { subject: type !== 'anonymous' && isUserRole(role) ? { id, role } : null, isOurs: false }
  }

  /**
   * Records of this service have their stored owner, and only its own users can own them: the same id from elsewhere is
   * a different subject. Records of other applications have the claimed owner.
   */
  const findRecord = async (
    { type, id, properties }: Evaluation['resource'],
    { isOurs }: Asker,
  ): Promise<Owned | null> => {
    if (type === 'link') return isOurs ? findLink(id) : null
    if (type === 'policy' || type === 'audit') return null
    if (type === 'user' || type === 'profile') return isOurs && isId(id) ? { owner_id: id } : null
    const owner = properties?.['owner_id']
    return typeof owner === 'string' ? { owner_id: owner } : null
  }

  const evaluate = async (snapshot: Snapshot, { subject, action, resource, context }: Evaluation): Promise<Answer> => {
    const name = action.name.includes(':') ? action.name : `${resource.type}:${action.name}`
    if (!isAction(name))
      return denial(context, {
        reason: `${shortened(name)} is not an action: <resource>:<verb>, each [a-z][a-z0-9_]{0,31}`,
      })
    const asker = await findAsker(subject)
    const record = await findRecord(resource, asker)
    const decision = snapshot.can(asker.subject, name, record)
    if (!wantsExplanation(context)) return { decision }
    const { role, inherits, relation, revision, object, endpoint } = explain(
      snapshot,
      roleOf(asker.subject),
      name,
      relationOf(asker.subject, record),
    )
    const { rule, row, considered, not_listed } = object
    const decided = { role, inherits, action: name, relation, layer: 'object', rule, row, revision }
    return { decision, context: { ...decided, considered, not_listed, endpoint } }
  }

  const evaluateItem = async (snapshot: Snapshot, item: unknown): Promise<Answer> => {
    const question = Evaluation.safeParse(item, { error: faultMessage })
    if (question.success) return evaluate(snapshot, question.data)
    const [issue] = question.error.issues
    return denial(Evaluation.pick({ context: true }).safeParse(item).data?.context, {
      error: { status: 400, message: `${issue?.path.join('.') || 'the item'}: ${issue?.message}` },
    })
  }

  return {
    evaluate,

    /**
     * §7: answers in the order of the items. With two of the semantics, the deciding item ends the list. The items of a
     * batch share their look-ups: one after the other, many would be late if the database is far away.
     */
    evaluateAll: async (
      snapshot: Snapshot,
      { evaluations = [], options, ...defaults }: Evaluations,
      deadline: Deadline,
    ): Promise<readonly Answer[]> => {
      const semantic = options?.evaluations_semantic
      const decides = ({ decision }: Answer) =>
        semantic === (decision ? 'permit_on_first_permit' : 'deny_on_first_deny')
      const answers: Answer[] = []
      for (let at = 0; at < evaluations.length; at += BATCH) {
        deadline.require()
        const batch = evaluations.slice(at, at + BATCH).map((item) => completeItem(item, defaults))
        const answered = await Promise.all(batch.map((item) => evaluateItem(snapshot, item)))
        const last = answered.findIndex(decides)
        answers.push(...(last < 0 ? answered : answered.slice(0, last + 1)))
        if (last >= 0) break
      }
      return answers
    },
  }
}

/** As many as share a look-up (database/in-one-turn.ts). */
const BATCH = 100

/** A default is repeated in the answer to each item, so a long text would make it a thousand times as long. */
const shortened = (text: string): string => text.replace(/^([^]{100})[^]+$/u, '$1…')

const wantsExplanation = (context: Evaluation['context']): boolean => context?.['explain'] === true

const denial = (asked: Evaluation['context'], context: object): Answer => ({
  decision: false,
  ...(wantsExplanation(asked) ? { context } : {}),
})
