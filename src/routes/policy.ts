import { z } from 'zod'

import { WINDOW_RULE, parseWindow } from '../audit/replay.js'
import type { Database } from '../database/database.js'
import { PolicyReplaced } from '../database/errors.js'
import { RELATIONS } from '../domain/decision.js'
import { EFFECTS } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import { route } from '../layers/compose.js'
import type { Replays } from '../layers/4-data/replay.js'
import { NO_DATA, NO_INPUT, noRecord } from '../layers/route.js'
import type { DataRule, Route } from '../layers/route.js'
import { formatPolicyCsv } from '../policy/csv.js'
import type { CurrentPolicy } from '../policy/current.js'
import { commitEdit, parseEdit, planEdit } from '../policy/edit.js'
import type { EditOrigin, EditPlan } from '../policy/edit.js'
import { findRevision, listRevisions, planRestore } from '../policy/history.js'
import type { PolicyRules } from '../policy/store.js'
import type { Snapshot } from '../policy/snapshot.js'
import { decisionTable, formatTableCsv } from '../policy/table.js'
import { PageLimit, Time } from './schemas.js'

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
const Revision = z.strictObject({
  revision: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the number of a revision')
    .transform(Number),
})
const Flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
const Window = z.string().transform((text, context) => {
  const window = parseWindow(text)
  if (window !== null) return window
  context.addIssue({ code: 'custom', message: WINDOW_RULE })
  return z.NEVER
})
const Trial = z
  .strictObject({ dry_run: Flag, replay: Window.optional() })
  .refine(({ dry_run, replay }) => dry_run || replay === undefined, {
    path: ['replay'],
    message: 'goes with dry_run=true alone: what was decided is decided again before an edit is made',
  })

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
    replay: z.looseObject({}).optional(),
  })
  .meta({
    id: 'PolicyEdit',
    description: 'What an edit changes; of a dry run, what it would change, and the revision that stays in force.',
  })
const RevisionView = z
  .looseObject({
    revision: z.number(),
    actor: z.object({ id: z.string().nullable(), name: z.string() }),
    reason: z.string(),
    time: Time,
    model_sha256: z.string(),
    // rows that somebody wrote by hand may be none of the vocabulary
    added: z.array(z.looseObject({ ptype: z.string() })),
    removed: z.array(z.looseObject({ ptype: z.string() })),
  })
  .meta({ id: 'PolicyRevision' })

const reading = {
  gateway: { scope: 'policy:read', quota: 'caller' },
  endpoint: 'policy:read',
  object: { action: 'policy:read', load: noRecord },
} as const
const writing = {
  gateway: { scope: 'policy:write', quota: 'caller' },
  endpoint: 'policy:write',
  object: { action: 'policy:write', load: noRecord },
} as const

const changesOf = ({ changes, add, remove }: EditPlan) => ({ decisions_changed: changes, added: add, removed: remove })

/** The fourth layer of an edit: commits a plan as the caller, under the decision that allowed it. */
const editStore = (database: Database): DataRule<{ commit(plan: EditPlan, reason: string): Promise<Snapshot> }> => ({
  rows: 'policy rows, as one revision',
  open: ({ caller, decision, requestId, snapshot }) => ({
    commit: async (plan, reason) => {
      const origin: EditOrigin = {
        actor: { id: caller.user?.id ?? null, name: caller.user?.email ?? '' },
        reason,
        decision: {
          request_id: requestId,
          revision: snapshot.revision,
          subject_role: caller.user?.role ?? '',
          token_id: caller.tokenId,
          rule: decision?.rule ?? '',
          row_priority: decision?.row?.priority ?? null,
        },
      }
      return commitEdit(database, plan, origin)
    },
  }),
})

/** RFC 9110 §13.1.1, with a revision for a tag: 428 without it, 412 where another revision is in force. */
const requireRevision = async (
  policy: CurrentPolicy,
  snapshot: Snapshot,
  ifMatch: string | undefined,
): Promise<void> => {
  if (ifMatch === undefined)
    throw new Refusal('precondition_required', {
      detail: 'Send If-Match with the ETag of GET /policy, so that no edit is made to rows that you have not seen.',
    })
  const [, named] = /^"([1-9]\d{0,14})"$/.exec(ifMatch.trim()) ?? []
  if (Number(named) === snapshot.revision) return
  // A revision that another process made and this one has not heard of yet: decided again under it.
  if (Number(named) > snapshot.revision && (await policy.refresh()).revision > snapshot.revision)
    throw new PolicyReplaced(`If-Match ${named}`)
  throw new Refusal('precondition_failed', { detail: `Policy revision ${snapshot.revision} is in force.` })
}

/** Everything under /policy. */
export const policyRoutes = ({ database, rules, policy, replays }: PolicyParts): readonly Route[] => {
  const edits = editStore(database)
  // a replay tells whom an edit touches, which is the audit's to tell
  const replaying = {
    asked: ({ replay }: z.output<typeof Trial>) => replay !== undefined,
    action: 'audit:read',
    data: replays,
  } as const
  /** Plans under the newest revision, commits unless this is a dry run, and answers what changes. */
  const perform = async (
    plan: EditPlan,
    base: Snapshot,
    { dry_run, replay }: z.output<typeof Trial>,
    part: Replays | null,
    commit: () => Promise<Snapshot>,
  ) => {
    const nothing = plan.add.length === 0 && plan.remove.length === 0
    if (dry_run) {
      const replayed =
        part && replay ? { replay: await part.of({ ...replay, inForce: base, candidate: plan.candidate }) } : {}
      return {
        status: 200,
        ...NO_INPUT,
        body: { revision: base.revision, dry_run, ...changesOf(plan), ...replayed },
        unchanged: true,
      }
    }
    if (nothing) return { status: 200, body: { revision: base.revision, ...changesOf(plan) }, unchanged: true }
    // in force here before the answer; everywhere else by notification
    policy.adopt(await commit())
    return {
      status: 200,
      ...NO_INPUT,
      body: { revision: plan.candidate.revision, ...changesOf(plan) },
      headers: { ETag: `"${plan.candidate.revision}"` },
    }
  }

  return [
    route({
      method: 'get',
      path: '/policy',
      status: 200,
      ...NO_INPUT,
      ...reading,
      data: NO_DATA,
      query: z.strictObject({ format: z.enum(['json', 'csv']).default('json') }),
      handle: ({ snapshot, query }) =>
        query.format === 'csv'
          ? {
              status: 200,
              ...NO_INPUT,
              body: formatPolicyCsv(snapshot.rows),
              type: 'text/csv; charset=utf-8',
              headers: { ETag: `"${snapshot.revision}"` },
            }
          : {
              status: 200,
              ...NO_INPUT,
              body: { revision: snapshot.revision, model_sha256: snapshot.model.sha256, rows: snapshot.rows },
              headers: { ETag: `"${snapshot.revision}"` },
            },
      documentation: {
        summary: 'The rows in force',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        tagged: true,
        response: z.object({ revision: z.number(), model_sha256: z.string(), rows: z.array(Row) }),
      },
    }),
    route({
      method: 'get',
      path: '/policy/model',
      status: 200,
      ...NO_INPUT,
      ...reading,
      data: NO_DATA,
      handle: ({ snapshot: { model } }) => ({
        status: 200,
        ...NO_INPUT,
        body: model.text,
        type: 'text/plain; charset=utf-8',
        headers: { 'Model-SHA256': model.sha256, ETag: `"${model.sha256}"` },
      }),
      documentation: {
        summary: 'model.conf, with its SHA-256 in Model-SHA256',
        tag: 'policy',
        types: ['text/plain'],
        tagged: true,
      },
    }),
    route({
      method: 'get',
      path: '/policy/decisions',
      status: 200,
      ...NO_INPUT,
      ...reading,
      data: NO_DATA,
      query: z.strictObject({ format: z.enum(['json', 'csv']).default('json') }),
      handle: async ({ snapshot, query }) => {
        const decisions = await decisionTable(snapshot)
        return query.format === 'csv'
          ? { status: 200, body: formatTableCsv(decisions), type: 'text/csv; charset=utf-8' }
          : { status: 200, body: { revision: snapshot.revision, decisions } }
      },
      documentation: {
        summary: 'Every decision that the rows can make',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        response: z.object({ revision: z.number(), decisions: z.array(Cell.extend(Outcome.shape)) }),
      },
    }),
    route({
      method: 'post',
      path: '/policy/changes',
      status: 200,
      ...NO_INPUT,
      ...writing,
      data: edits,
      query: Trial,
      part: replaying,
      body: z.strictObject({
        add: z.array(z.unknown()).default([]),
        remove: z.array(z.unknown()).default([]),
        reason: Reason,
      }),
      handle: async ({ store, part, snapshot, query, body, headers }) => {
        await requireRevision(policy, snapshot, headers.ifMatch)
        const plan = await planEdit(snapshot, parseEdit(body.add, body.remove), rules)
        return perform(plan, snapshot, query, part, () => store.commit(plan, body.reason))
      },
      documentation: {
        summary: 'Change rows; says every decision that changes',
        tag: 'policy',
        response: EditView,
        refusals: [409, 412, 428],
      },
    }),
    route({
      method: 'get',
      path: '/policy/revisions',
      status: 200,
      ...NO_INPUT,
      ...reading,
      data: NO_DATA,
      query: z.strictObject({
        limit: PageLimit,
        cursor: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, 'must be the next_cursor of a page')
          .transform(Number)
          .optional(),
      }),
      handle: async ({ query }) => ({ status: 200, body: await listRevisions(database, query) }),
      documentation: {
        summary: 'Who changed the rows, when, and why; newest first',
        tag: 'policy',
        response: z.object({
          data: z.array(z.looseObject({ revision: z.number(), reason: z.string(), time: Time })),
          next_cursor: z.string().nullable(),
        }),
      },
    }),
    route({
      method: 'get',
      path: '/policy/revisions/:revision',
      status: 200,
      ...NO_INPUT,
      ...reading,
      data: NO_DATA,
      params: Revision,
      handle: async ({ params }) => {
        const found = await findRevision(database, params.revision)
        if (!found) throw new Refusal('not_found')
        return { status: 200, body: found }
      },
      documentation: {
        summary: 'One revision, with the decisions that it changed',
        tag: 'policy',
        response: RevisionView.extend({ decisions_changed: z.array(CellChange) }),
      },
    }),
    route({
      method: 'post',
      path: '/policy/revisions/:revision/restore',
      status: 200,
      ...NO_INPUT,
      ...writing,
      data: edits,
      params: Revision,
      query: Trial,
      part: replaying,
      body: z.strictObject({ reason: Reason.optional() }).default({}),
      handle: async ({ store, part, snapshot, params, query, body, headers }) => {
        if (headers.ifMatch !== undefined) await requireRevision(policy, snapshot, headers.ifMatch)
        const plan = await planRestore(database, snapshot, params.revision, rules)
        if (!plan) throw new Refusal('not_found', { detail: `There is no policy revision ${params.revision}.` })
        return perform(plan, snapshot, query, part, () =>
          store.commit(plan, body.reason ?? `restore revision ${params.revision}`),
        )
      },
      documentation: {
        summary: 'Make the rows what they were: a new revision, with the same checks',
        tag: 'policy',
        response: EditView,
        refusals: [409, 412],
      },
    }),
  ]
}
