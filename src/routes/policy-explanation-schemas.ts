import { z } from 'zod'

import { isAction } from '../domain/action.js'
import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { isCallerRole } from '../domain/role.js'
import { AnyRow } from './policy-row-schemas.js'
import { Whos } from './rights-schemas.js'
import { Code, Id, RevisionNumber, count, revisionNumber, text, textOrNull } from './schemas.js'

export const CallerRole = z
  .string()
  .refine(isCallerRole, 'must be a role that a caller can have')
  .meta({ maxLength: 32 })
export const ActionName = z
  .string()
  .refine(isAction, 'must be an action, such as link:delete')
  .meta({ pattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,31}$', maxLength: 65, examples: ['link:delete'] })

export const PolicyQuestion = z
  .strictObject({
    user: Id.optional().describe('id of the caller in question; needs `policy:evaluate`'),
    link: Code.optional().describe('code of the link in question; needs `policy:evaluate`'),
    role: CallerRole.optional().describe('a role, instead of a user'),
    action: ActionName.describe('the action in question'),
    relation: z
      .enum(RELATIONS)
      .optional()
      .describe('the caller’s relation to the record, instead of a link; default: `other`'),
    revision: revisionNumber().optional().describe('default: the one in force'),
  })
  .refine(({ role, relation }) => relation === undefined || (role === 'anonymous') === (relation === 'anonymous'), {
    path: ['relation'],
    message: 'is anonymous for the role anonymous, and for no other',
  })
  .refine(({ role, user }) => role === undefined || user === undefined, {
    path: ['role'],
    message: 'is not asked for beside a user, who has one',
  })
  .refine(({ relation, user, link }) => relation === undefined || user === undefined || link === undefined, {
    path: ['relation'],
    message: 'is not asked for beside a user and a link, which have one',
  })

const Considered = z.object({
  row: AnyRow.describe('the considered row'),
  outcome: z.enum(['does_not_match', 'decides', 'not_reached']).describe('the outcome for this row'),
  why: textOrNull(200, 'why it does not match'),
})

const Judged = {
  considered: z.array(Considered).max(200).describe('in the order of evaluation'),
  not_listed: count('further rows that are not listed'),
}

export const ExplanationView = z
  .object({
    user: z
      .object({
        id: Id.describe('id of the user'),
        role: text(32, 'role of the user'),
        suspended: z.boolean().describe('true: they are treated as anonymous'),
      })
      .nullable()
      .describe('the caller in question'),
    link: z
      .object({ code: Code, owner_id: Id.nullable().describe('id of the owner; null: no owner') })
      .nullable()
      .describe('the link in question'),
    explanation: z
      .object({
        revision: RevisionNumber,
        role: text(32, 'the role that decides'),
        inherits: z.array(text(32, 'a role')).max(1_000).describe('the other roles whose rows apply to it'),
        action: text(65, 'the action in question'),
        relation: z.enum(RELATIONS).describe('relation to the record'),
        layer: z.enum(['endpoint', 'object']).describe('the deciding layer'),
        effect: z.enum(EFFECTS).describe('the decision'),
        endpoint: z
          .object({ effect: z.enum(EFFECTS).describe('decision of this layer'), ...Judged })
          .describe('whether the role may call the endpoint at all'),
        object: z
          .object({
            effect: z.enum(EFFECTS).describe('decision of this layer'),
            rule: text(64, 'rule of the deciding row'),
            row: AnyRow.nullable().describe('the deciding row; null: none matches, and the model denies'),
            ...Judged,
          })
          .describe('the rows for this record'),
      })
      .describe('the explanation'),
    who_may: Whos.describe('who may do it: to this link, or to somebody else’s'),
  })
  .meta({ id: 'PolicyExplanation', description: 'why the policy decides as it does, under one revision' })
