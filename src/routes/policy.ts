import { z } from 'zod'

import type { Database } from '../database/database.js'
import { PolicyReplaced } from '../database/errors.js'
import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import type { Replays } from '../layers/4-data/replay.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import { inputSchema } from '../openapi/schemas.js'
import { formatPolicyCsv } from '../policy/csv.js'
import type { CurrentPolicy } from '../policy/current.js'
import { parseEdit, planEdit } from '../policy/edit.js'
import { Row as PolicyRowSchema } from '../policy/parse-row.js'
import { countRevisions, findRevision, listRevisions } from '../policy/history.js'
import { planRestore, readStoredPolicy } from '../policy/replacement.js'
import type { PolicyRules } from '../policy/store.js'
import { decisionTable, formatTableCsv } from '../policy/table.js'
import { TEXT_TYPES } from './export-text.js'
import { Trial, editStore, performEdit, requireRevision } from './policy-edit.js'
import { PageLimit, RevisionNumber, Time, WantsCount, countedBy, pageOf, text, textOrNull } from './schemas.js'

export interface PolicyParts {
  readonly database: Database
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
  readonly replays: DataRule<Replays>
}

/** What a policy can have: far more than anybody edits. */
const MOST_ROWS = 100_000
const MOST_CELLS = 1_000_000

const Row = z
  .looseObject({ ptype: z.enum(['p', 'p2', 'g']).describe('the section of model.conf that it belongs to') })
  .meta({ id: 'PolicyRow', description: 'An object row (p), an endpoint row (p2) or an inheritance row (g)' })
/** Parsed row by row, so that every fault is named. */
const EditedRow = z.unknown().meta(inputSchema(PolicyRowSchema))

const Reason = z.string().trim().min(1, 'is required: the history says why').max(1_000).describe('why, for the history')
const revisionNumber = (fault: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, fault)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: 999_999_999_999_999 })
const ByRevision = z.strictObject({
  revision: revisionNumber('must be the number of a revision').describe('its number'),
})
const Format = z.strictObject({ format: z.enum(['json', 'csv']).default('json').describe('of the answer') })

const Outcome = z.object({
  effect: z.enum(EFFECTS).describe('of the object rows'),
  rule: text(64, 'of the row that decides'),
  endpoint: z.enum(EFFECTS).describe('of the endpoint rows'),
})
const Cell = z.object({
  role: text(32, 'whose decision it is'),
  action: text(65, 'what is asked for'),
  relation: z.enum(RELATIONS).describe('whose record it is about'),
})
const CellChange = Cell.extend({
  before: Outcome.describe('under the revision before'),
  after: Outcome.describe('under the new one'),
}).meta({ id: 'DecisionChange', description: 'a decision that falls otherwise' })
export const EditView = z
  .object({
    revision: RevisionNumber.describe('that is in force after it'),
    dry_run: z.boolean().optional().describe('true: nothing was changed'),
    decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
    added: z.array(Row).max(MOST_ROWS).describe('rows that were not there before'),
    removed: z.array(Row).max(MOST_ROWS).describe('rows that are not there any more'),
    warnings: z

      .array(
        z.object({
          role: text(32, 'as it was written'),
          nearest: textOrNull(32, 'that may have been meant'),
          message: text(500, 'for people'),
        }),
      )
      .max(MOST_ROWS)
      .optional()
      .describe('in a dry run: roles of the new rows that are probably misspelt'),
    replay: z.looseObject({}).optional().describe('which recorded decisions would have fallen otherwise'),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes, or what a dry run would change and the revision that stays in force.',
  })
// rows that were written with SQL may lie outside the vocabulary
const AnyRows = z.array(z.looseObject({ ptype: text(100, 'the section of model.conf') })).max(MOST_ROWS)
export const RevisionView = z
  .looseObject({
    revision: RevisionNumber.describe('its number'),
    actor: z
      .object({
        id: textOrNull(19, 'of the user'),
        name: textOrNull(254, 'their address as it is today, or what made the edit'),
      })
      .describe('who made it'),
    reason: text(1_000, 'why'),
    time: Time.describe('when'),
    model_sha256: text(64, 'of model.conf'),
    added: AnyRows.describe('rows that were not there before'),
    removed: AnyRows.describe('rows that are not there any more'),
  })
  .meta({ id: 'PolicyRevision', description: 'an edit of the policy' })

const reading = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:read', quota: 'caller' },
  endpoint: 'policy:read',
  object: { action: 'policy:read', load: noRecord },
  data: NO_DATA,
} as const

export const PolicyView = z.object({
  revision: RevisionNumber,
  model_sha256: text(64, 'of model.conf'),
  rows: z.array(Row).max(MOST_ROWS).describe('in the order in which they decide'),
})

export const TableView = z.object({
  revision: RevisionNumber,
  decisions: z.array(Cell.extend(Outcome.shape)).max(MOST_CELLS).describe('of each role, action and relation'),
})

export const PolicyChanges = z.strictObject({
  add: z.array(EditedRow).max(MOST_ROWS).default([]).describe('rows that are to be there'),
  remove: z
    .array(EditedRow)
    .max(MOST_ROWS)
    .default([])
    .describe('rows that are to go: what they say of a row has to fit one'),
  reason: Reason,
})

export const RevisionQuery = z.strictObject({
  limit: PageLimit,
  count: WantsCount,
  cursor: revisionNumber('must be the next_cursor of a page').optional().describe('`next_cursor` of the page before'),
})

export const RevisionsView = pageOf(
  z.looseObject({
    revision: RevisionNumber.describe('its number'),
    reason: text(1_000, 'why'),
    time: Time.describe('when'),
  }),
)

export const ShownRevision = RevisionView.extend({
  decisions_changed: z.array(CellChange).max(MOST_CELLS).describe('every one'),
})

export const Restoration = z.strictObject({ reason: Reason.optional() }).default({})

/** Everything under /policy. */
export const policyRoutes = ({ database, rules, policy, replays }: PolicyParts): readonly Route[] => {
  const editing = {
    method: 'post',
    status: 200,
    ...NO_INPUT,
    gateway: { scope: 'policy:write', quota: 'caller' },
    endpoint: 'policy:write',
    object: { action: 'policy:write', load: noRecord },
    data: editStore(database),
    query: Trial,
    // a replay shows whom an edit affects, which only readers of the log may see
    part: { asked: ({ replay }: z.output<typeof Trial>) => replay !== undefined, action: 'audit:read', data: replays },
  } as const

  return [
    route({
      ...reading,
      path: '/policy',
      query: Format,
      handle: ({ snapshot: { revision, model, rows }, query }) => {
        const headers = { ETag: `"${revision}"` }
        return query.format === 'csv'
          ? { status: 200, body: formatPolicyCsv(rows), type: TEXT_TYPES.csv, headers }
          : { status: 200, body: { revision, model_sha256: model.sha256, rows }, headers }
      },
      documentation: {
        id: 'getPolicy',
        summary: 'The rows in force',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        tagged: 'read',
        response: PolicyView,
      },
    }),
    route({
      ...reading,
      path: '/policy/model',
      handle: ({ snapshot: { model } }) => ({
        status: 200,
        body: model.text,
        type: 'text/plain; charset=utf-8',
        headers: { 'Model-SHA256': model.sha256, ETag: `"${model.sha256}"` },
      }),
      documentation: {
        id: 'getPolicyModel',
        summary: 'model.conf, with its SHA-256 in Model-SHA256',
        tag: 'policy',
        types: ['text/plain'],
        tagged: 'read',
      },
    }),
    route({
      ...reading,
      path: '/policy/decisions',
      query: Format,
      handle: async ({ snapshot, query }) => {
        const decisions = await decisionTable(snapshot)
        return query.format === 'csv'
          ? { status: 200, body: formatTableCsv(decisions), type: TEXT_TYPES.csv }
          : { status: 200, body: { revision: snapshot.revision, decisions } }
      },
      documentation: {
        id: 'getPolicyTable',
        summary: 'Every decision that the rows can make',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        response: TableView,
      },
    }),
    route({
      ...editing,
      path: '/policy/changes',
      body: PolicyChanges,
      handle: async ({ store, body, headers, ...input }) => {
        await requireRevision(policy, input.snapshot, headers.ifMatch)
        const plan = await planEdit(input.snapshot, parseEdit(body.add, body.remove), rules, input.caller.user)
        return performEdit(policy, plan, input, store, body.reason)
      },
      documentation: {
        id: 'changePolicy',
        tagged: 'write',
        ifMatch: 'required',
        refusals: ['precondition_required', 'invariant_violated', 'beyond_own_rights'],
        example: {
          query: { dry_run: 'true' },
          body: {
            add: [{ ptype: 'p2', role: 'auditor', action: 'link:read' }],
            remove: [],
            reason: 'auditors may list links',
          },
        },
        summary: 'Add and remove rows; answers every decision that changes',
        tag: 'policy',
        response: EditView,
      },
    }),
    route({
      ...reading,
      path: '/policy/revisions',
      query: RevisionQuery,
      handle: async ({ query: { count, ...query } }) => {
        const [page, counted] = await Promise.all([
          listRevisions(database, query),
          countedBy(count, () => countRevisions(database)),
        ])
        return { status: 200, body: { ...page, ...counted } }
      },
      documentation: {
        id: 'listPolicyRevisions',
        summary: 'Who changed the rows, when and why; newest first',
        tag: 'policy',
        response: RevisionsView,
      },
    }),
    route({
      ...reading,
      path: '/policy/revisions/:revision',
      params: ByRevision,
      handle: async ({ params }) => {
        const found = await findRevision(database, params.revision)
        if (!found) throw new Refusal('not_found')
        return { status: 200, body: found }
      },
      documentation: {
        id: 'getPolicyRevision',
        summary: 'One revision, with the decisions that it changed',
        tag: 'policy',
        response: ShownRevision,
      },
    }),
    route({
      ...editing,
      path: '/policy/revisions/:revision/restore',
      params: ByRevision,
      body: Restoration,
      handle: async ({ store, params: { revision }, body, headers, ...input }) => {
        if (headers.ifMatch !== undefined) await requireRevision(policy, input.snapshot, headers.ifMatch)
        const stored = await readStoredPolicy(database, rules)
        // where the stored rows cannot be in force, the last good revision decides, and this is the way out
        if (stored.fault === null && stored.revision !== input.snapshot.revision) throw new PolicyReplaced('restore')
        const plan = await planRestore(database, stored, revision, rules, input.caller.user)
        if (!plan) throw new Refusal('not_found', { detail: `There is no policy revision ${revision}.` })
        return performEdit(policy, plan, input, store, body.reason ?? `restore revision ${revision}`)
      },
      documentation: {
        id: 'restorePolicyRevision',
        tagged: 'write',
        ifMatch: 'optional',
        refusals: ['invariant_violated', 'beyond_own_rights'],
        example: { query: { dry_run: 'true' }, body: { reason: 'the edit of Tuesday was wrong' } },
        summary: 'Restore the rows of a revision as a new revision, with the checks of every edit',
        tag: 'policy',
        response: EditView,
      },
    }),
  ]
}
