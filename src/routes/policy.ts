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
import { formatPolicyCsv } from '../policy/csv.js'
import type { CurrentPolicy } from '../policy/current.js'
import { parseEdit, planEdit } from '../policy/edit.js'
import { findRevision, listRevisions } from '../policy/history.js'
import { planRestore, readStoredPolicy } from '../policy/replacement.js'
import type { PolicyRules } from '../policy/store.js'
import { decisionTable, formatTableCsv } from '../policy/table.js'
import { TEXT_TYPES } from './export-text.js'
import { Trial, editStore, performEdit, requireRevision } from './policy-edit.js'
import { PageLimit, Time, pageOf } from './schemas.js'

export interface PolicyParts {
  readonly database: Database
  readonly rules: PolicyRules
  readonly policy: CurrentPolicy
  readonly replays: DataRule<Replays>
}

const Row = z
  .looseObject({ ptype: z.enum(['p', 'p2', 'g']) })
  .meta({ id: 'PolicyRow', description: 'An object row (p), an endpoint row (p2) or an inheritance row (g)' })
const Reason = z.string().trim().min(1, 'is required: the history says why').max(1_000)
const revisionNumber = (fault: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, fault)
    .transform(Number)
const ByRevision = z.strictObject({ revision: revisionNumber('must be the number of a revision') })
const Format = z.strictObject({ format: z.enum(['json', 'csv']).default('json') })

const Outcome = z.object({ effect: z.enum(EFFECTS), rule: z.string(), endpoint: z.enum(EFFECTS) })
const Cell = z.object({ role: z.string(), action: z.string(), relation: z.enum(RELATIONS) })
const CellChange = Cell.extend({ before: Outcome, after: Outcome }).meta({ id: 'DecisionChange' })
const EditView = z
  .object({
    revision: z.number(),
    dry_run: z.boolean().optional(),
    decisions_changed: z.array(CellChange),
    added: z.array(Row),
    removed: z.array(Row),
    warnings: z
      .array(z.object({ role: z.string(), nearest: z.string().nullable(), message: z.string() }))
      .optional()
      .describe('in a dry run: roles of the new rows that are probably misspelt'),
    replay: z.looseObject({}).optional(),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes, or what a dry run would change and the revision that stays in force.',
  })
// rows that were written with SQL may lie outside the vocabulary
const AnyRows = z.array(z.looseObject({ ptype: z.string() }))
const RevisionView = z
  .looseObject({
    revision: z.number(),
    actor: z.object({ id: z.string().nullable(), name: z.string().nullable() }),
    reason: z.string(),
    time: Time,
    model_sha256: z.string(),
    added: AnyRows,
    removed: AnyRows,
  })
  .meta({ id: 'PolicyRevision' })

const reading = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:read', quota: 'caller' },
  endpoint: 'policy:read',
  object: { action: 'policy:read', load: noRecord },
  data: NO_DATA,
} as const

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
        tagged: true,
        response: z.object({ revision: z.number(), model_sha256: z.string(), rows: z.array(Row) }),
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
        tagged: true,
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
        response: z.object({ revision: z.number(), decisions: z.array(Cell.extend(Outcome.shape)) }),
      },
    }),
    route({
      ...editing,
      path: '/policy/changes',
      body: z.strictObject({
        add: z.array(z.unknown()).default([]),
        remove: z.array(z.unknown()).default([]),
        reason: Reason,
      }),
      handle: async ({ store, body, headers, ...input }) => {
        await requireRevision(policy, input.snapshot, headers.ifMatch)
        const plan = await planEdit(input.snapshot, parseEdit(body.add, body.remove), rules, input.caller.user)
        return performEdit(policy, plan, input, store, body.reason)
      },
      documentation: {
        id: 'changePolicy',
        summary: 'Add and remove rows; answers every decision that changes',
        tag: 'policy',
        response: EditView,
        refusals: [409, 412, 428],
      },
    }),
    route({
      ...reading,
      path: '/policy/revisions',
      query: z.strictObject({
        limit: PageLimit,
        cursor: revisionNumber('must be the next_cursor of a page').optional(),
      }),
      handle: async ({ query }) => ({ status: 200, body: await listRevisions(database, query) }),
      documentation: {
        id: 'listPolicyRevisions',
        summary: 'Who changed the rows, when and why; newest first',
        tag: 'policy',
        response: pageOf(z.looseObject({ revision: z.number(), reason: z.string(), time: Time })),
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
        response: RevisionView.extend({ decisions_changed: z.array(CellChange) }),
      },
    }),
    route({
      ...editing,
      path: '/policy/revisions/:revision/restore',
      params: ByRevision,
      body: z.strictObject({ reason: Reason.optional() }).default({}),
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
        summary: 'Restore the rows of a revision as a new revision, with the checks of every edit',
        tag: 'policy',
        response: EditView,
        refusals: [409, 412],
      },
    }),
  ]
}
