import { z } from 'zod'

import { EFFECTS } from '../domain/policy-row.js'
import { AnyRow, LoneRole, MOST_ROWS, PLANNED, Question, Violations } from './policy-row-schemas.js'
import { NEEDS_WINDOW, ReplayView, Replayable, hasWindow } from './replay-schemas.js'
import { RevisionNumber, count, text } from './schemas.js'

export const PreviewView = z
  .object({
    revision: RevisionNumber.describe('the revision that the edit is compared with'),
    ...PLANNED,
    objections: z
      .array(
        z.looseObject({
          code: text(64, 'code of the refusal'),
          status: z.int().min(400).max(599).describe('status of the refusal'),
          detail: text(4_000, 'explanation for people'),
          violations: Violations.optional(),
        }),
      )
      .max(10)
      .describe('why the edit would be refused if this caller made it; the response would be the first'),
    binds_maker: z
      .boolean()
      .describe('true: this caller could not undo the edit, because their role may do too little afterwards'),
    findings: z
      .array(
        z.looseObject({
          kind: text(20, 'such as `unreachable`'),
          row: AnyRow.describe('the row in question'),
          message: text(1_000, 'message for people'),
          by: z.array(z.int()).max(MOST_ROWS).optional().describe('priorities of the rows that decide before it'),
          name: text(65, 'the unknown or lone name').optional(),
          lone: LoneRole.nullable().optional().describe('set if the role is probably misspelt'),
        }),
      )
      .max(MOST_ROWS)
      .describe('findings about rows that the edit adds'),
    expectations: z
      .object({
        asked: count('number of expectations'),
        unmet: z
          .array(
            Question.extend({
              expected: z.enum(EFFECTS).describe('expected by the file'),
              effect: z.enum(EFFECTS).describe('decided by the rows'),
              rule: text(64, 'rule of the deciding row'),
              row: AnyRow.nullable().describe('the deciding row; null: none matches'),
              why: text(1_000, 'the reason given in the file'),
              from: text(200, 'file and line'),
              is_new: z.boolean().describe('true: the rows in force still meet it'),
              message: text(2_000, 'message for people'),
            }),
          )
          .max(MOST_ROWS)
          .describe('the expectations that are not met'),
      })
      .describe('the expectations of policies/allow.csv and deny.csv: unmet ones only warn'),
    replay: ReplayView.optional(),
  })
  .meta({ id: 'PolicyPreview', description: 'what an edit would change, and what is wrong with it' })

export const PreviewQuery = z.strictObject(Replayable).refine(hasWindow, NEEDS_WINDOW)
