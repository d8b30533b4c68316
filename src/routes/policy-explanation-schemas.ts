import { z } from 'zod'

import { isAction } from '../domain/action.js'
import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { isCallerRole } from '../domain/role.js'
import { AnyRow, revisionNumber } from './policy-row-schemas.js'
import { Whos } from './rights-schemas.js'
import { Code, Id, RevisionNumber, count, text, textOrNull } from './schemas.js'

export const PolicyQuestion = z
  .strictObject({
    user: Id.optional().describe('who asks; needs `policy:evaluate`'),
    link: Code.optional().describe('what it is about; needs `policy:evaluate`'),
    role: z
      .string()
      .refine(isCallerRole, 'must be a role that a caller can have')
      .optional()
      .meta({ maxLength: 32, description: 'in place of a user' }),
    action: z
      .string()
      .refine(isAction, 'must be an action, such as link:delete')
      .meta({ maxLength: 65, description: 'what is asked for', examples: ['link:delete'] }),
    relation: z.enum(RELATIONS).optional().describe('whose record it is, in place of a link; default: another’s'),
    revision: revisionNumber('must be the number of a revision').optional().describe('default: the one in force'),
  })
  .refine(({ role, relation }) => relation === undefined || (role === 'anonymous') === (relation === 'anonymous'), {
    path: ['relation'],
    message: 'is anonymous for the role anonymous, and for no other',
  })

const Considered = z.object({
  row: AnyRow.describe('that is read'),
  outcome: z.enum(['does_not_match', 'decides', 'not_reached']).describe('what becomes of it'),
  why: textOrNull(200, 'it does not match'),
})

const Judged = {
  considered: z.array(Considered).max(200).describe('in the order in which they are read'),
  not_listed: count('rows beside these'),
}

export const ExplanationView = z
  .object({
    user: z
      .object({
        id: Id.describe('of the user'),
        role: text(32, 'that they have'),
        suspended: z.boolean().describe('true: they count as nobody'),
      })
      .nullable()
      .describe('who was asked about'),
    link: z
      .object({ code: Code, owner_id: Id.nullable().describe('whose it is; null: nobody’s') })
      .nullable()
      .describe('what was asked about'),
    explanation: z
      .object({
        revision: RevisionNumber,
        role: text(32, 'by which it is decided'),
        inherits: z.array(text(32, 'a role')).max(1_000).describe('the other roles whose rows count for it'),
        action: text(65, 'what is asked for'),
        relation: z.enum(RELATIONS).describe('whose record it is'),
        layer: z.enum(['endpoint', 'object']).describe('that decides'),
        effect: z.enum(EFFECTS).describe('the answer'),
        endpoint: z
          .object({ effect: z.enum(EFFECTS).describe('its answer'), ...Judged })
          .describe('may the role call it at all?'),
        object: z
          .object({
            effect: z.enum(EFFECTS).describe('its answer'),
            rule: text(64, 'of the row that decides'),
            row: AnyRow.nullable().describe('that decides; null: none does, and the model denies'),
            ...Judged,
          })
          .describe('what do the rows say of this record?'),
      })
      .describe('why it is answered so'),
    who_may: Whos.describe('who may do it: to this link, or to another’s'),
  })
  .meta({ id: 'PolicyExplanation', description: 'why a question is answered as it is, under one revision' })
