import { z } from 'zod'

import { EFFECTS } from '../domain/policy-row.js'
import { AnyRow, Cell, CellChange, CommentChanges, MOST_CELLS, MOST_ROWS, Outcome, Row } from './policy-row-schemas.js'
import { ReplayView, Replayable } from './replay-schemas.js'
import { RevisionNumber, count, text } from './schemas.js'

export const PreviewView = z
  .object({
    revision: RevisionNumber.describe('with which the edit is compared'),
    decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
    added: z.array(Row).max(MOST_ROWS).describe('rows that were not there before'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that are not there any more'),
    comments: CommentChanges,
    objections: z
      .array(
        z.looseObject({
          code: text(64, 'of the refusal'),
          status: z.int().min(400).max(599).describe('of the refusal'),
          detail: text(4_000, 'for people'),
          violations: z
            .array(
              z.object({
                invariant: text(64, 'its name'),
                why: text(1_000, 'as its file says'),
                file: text(100, 'that alone can change it'),
                decision: Cell.extend(Outcome.shape).describe('that breaks it'),
                row: AnyRow.nullable().describe('that makes the decision; null: none matches'),
              }),
            )
            .max(MOST_ROWS)
            .optional()
            .describe('the invariants that are broken'),
        }),
      )
      .max(10)
      .describe('what would refuse it, if this caller made it; the first is what they would be answered'),
    findings: z
      .array(
        z.looseObject({
          kind: text(20, 'such as `unreachable`'),
          row: AnyRow.describe('that it is about'),
          message: text(1_000, 'for people'),
        }),
      )
      .max(MOST_ROWS)
      .describe('what can be said of rows that could not be said before the edit'),
    expectations: z
      .object({
        asked: count('questions'),
        unmet: z
          .array(
            Cell.extend({
              expected: z.enum(EFFECTS).describe('by the file'),
              effect: z.enum(EFFECTS).describe('by the rows'),
              rule: text(64, 'of the row that decides'),
              row: AnyRow.nullable().describe('that decides; null: none matches'),
              why: text(1_000, 'as the file says'),
              from: text(200, 'file and line'),
              is_new: z.boolean().describe('whether the rows in force answer as expected'),
              message: text(2_000, 'for people'),
            }),
          )
          .max(MOST_ROWS)
          .describe('with another answer than the expected one'),
      })
      .describe('the questions of policies/allow.csv and deny.csv: they warn, and refuse nothing'),
    replay: ReplayView.optional(),
  })
  .meta({ id: 'PolicyPreview', description: 'what an edit would change, and what speaks against it' })

export const PreviewQuery = z.strictObject(Replayable)
