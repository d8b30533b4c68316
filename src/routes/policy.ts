import { PolicyReplaced } from '../database/errors.js'
import type { Deadline } from '../domain/deadline.js'
import { Refusal } from '../domain/refusal.js'
import { policyEditsStore } from '../layers/4-data/policy-edits.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { commentChanges, withComments } from '../policy/comments.js'
import { formatPolicyCsv } from '../policy/csv.js'
import { editBetween, parseEdit, planEdit } from '../policy/edit.js'
import { countRevisions, findRevision, listRevisions } from '../policy/history.js'
import { planRestore, readStoredPolicy } from '../policy/replacement.js'
import type { Snapshot } from '../policy/snapshot.js'
import { decisionChanges, decisionTable, formatTableCsv } from '../policy/table.js'
import { TEXT_TYPES } from './export-text.js'
import { performEdit, replayPart, requireRevision, type PolicyParts } from './policy-edit.js'
import { explanationRoute } from './policy-explanation.js'
import { policyPreviewRoute } from './policy-preview.js'
import {
  ByRevision,
  Comparison,
  ComparisonView,
  EditView,
  PolicyChanges,
  PolicyView,
  Restoration,
  RevisionQuery,
  RevisionsView,
  Shown,
  ShownRevision,
  ShownTable,
  TableView,
  Trial,
} from './policy-schemas.js'
import { withCount } from './schemas.js'
import { READING_POLICY, WRITING_POLICY } from './shared-layers.js'

/** For edits that need approval (docs/policy.md). */
const PROPOSED = 'With `POLICY_APPROVALS=1`: the edit becomes a proposal, and the revision in force stays'

const noSuchRevision = (revision: number | undefined) =>
  new Refusal('not_found', { detail: `There is no policy revision ${revision}, or its rows cannot be read.` })

/** Everything under /policy. */
export const policyRoutes = (parts: PolicyParts): readonly Route[] => {
  const { database, rules, policy, replays, approvals, findSnapshot, analyses } = parts
  /** Throws `not_found` if there was no such revision. */
  const shown = async (snapshot: Snapshot, revision: number | undefined): Promise<Snapshot> => {
    const found = revision === undefined ? snapshot : await findSnapshot(revision)
    if (found === null) throw noSuchRevision(revision)
    return found
  }
  const changesBetween = async (from: Snapshot, to: Snapshot, deadline: Deadline) => {
    const { add, remove } = editBetween(from.rows, to.rows)
    const decisions = await analyses(() => decisionChanges(from, to, [...add, ...remove], deadline))
    return { added: add, removed: remove, decisions_changed: decisions }
  }
  /** Null if the rows of either revision cannot be read. */
  const decisionsChangedBy = async (revision: number, deadline: Deadline) => {
    const [from, to] = [await findSnapshot(revision - 1), await findSnapshot(revision)]
    return from && to && (await changesBetween(from, to, deadline)).decisions_changed
  }
  const editing = {
    ...WRITING_POLICY,
    data: policyEditsStore(database, approvals),
    query: Trial,
    part: replayPart(replays),
  } as const

  return [
    route({
      ...READING_POLICY,
      path: '/policy',
      query: Shown,
      handle: async ({ snapshot: inForce, query }) => {
        const snapshot = await shown(inForce, query.revision)
        const { revision, model } = snapshot
        const headers = { ETag: `"${revision}"` }
        return query.format === 'csv'
          ? { status: 200, body: formatPolicyCsv(snapshot), type: TEXT_TYPES.csv, headers }
          : {
              status: 200,
              body: { revision, model_sha256: model.sha256, rows: withComments(snapshot), needs_approval: approvals },
              headers,
            }
      },
      documentation: {
        id: 'getPolicy',
        refusals: ['not_found'],
        summary: 'Show the policy’s rows',
        description: 'Those in force, or those of an earlier revision.',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        tagged: 'read',
        response: PolicyView,
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/model',
      handle: ({ snapshot: { model } }) => ({
        status: 200,
        body: model.text,
        type: 'text/plain; charset=utf-8',
        headers: { 'Model-SHA256': model.sha256, ETag: `"${model.sha256}"` },
      }),
      documentation: {
        id: 'getPolicyModel',
        summary: 'Get model.conf',
        description: 'Its SHA-256 is in `Model-SHA256`.',
        tag: 'policy',
        types: ['text/plain'],
        tagged: 'read',
        headers: ['Model-SHA256'],
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/decisions',
      query: ShownTable,
      handle: async ({ snapshot, query, deadline }) => {
        const of = await shown(snapshot, query.revision)
        const decisions = await analyses(() => decisionTable(of, query, deadline))
        return query.format === 'csv'
          ? { status: 200, body: formatTableCsv(decisions), type: TEXT_TYPES.csv }
          : { status: 200, body: { revision: of.revision, decisions } }
      },
      documentation: {
        id: 'getPolicyTable',
        refusals: ['not_found'],
        summary: 'List the decisions of the policy',
        description: 'Every decision that the rows can make, or those of one role or action.',
        tag: 'policy',
        types: ['application/json', 'text/csv'],
        response: TableView,
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/comparison',
      query: Comparison,
      handle: async ({ snapshot, query, deadline }) => {
        const [from, to] = [await shown(snapshot, query.from), await shown(snapshot, query.to)]
        return {
          status: 200,
          body: {
            from: from.revision,
            to: to.revision,
            ...(await changesBetween(from, to, deadline)),
            comments: commentChanges(from.comments, to.comments),
          },
        }
      },
      documentation: {
        id: 'comparePolicyRevisions',
        refusals: ['not_found'],
        summary: 'Compare two revisions',
        description: 'The rows and decisions that differ.',
        tag: 'policy',
        response: ComparisonView,
      },
    }),
    explanationRoute({ ...parts, shown }),
    policyPreviewRoute(parts),
    route({
      ...editing,
      path: '/policy/changes',
      body: PolicyChanges,
      handle: async ({ body, headers, ...input }) => {
        await requireRevision(policy, input.snapshot, headers.ifMatch)
        const edit = parseEdit(body.add, body.remove)
        const plan = await planEdit(input.snapshot, edit, rules, input.caller.user, input.deadline)
        return performEdit(policy, plan, input, body.reason)
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
        proposed: PROPOSED,
        summary: 'Edit the policy',
        description: 'Adds and removes rows. Returns every decision that changes.',
        tag: 'policy',
        response: EditView,
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/revisions',
      query: RevisionQuery,
      handle: async ({ query: { count, ...query } }) => ({
        status: 200,
        body: await withCount(listRevisions(database, query), count, () => countRevisions(database, query.until)),
      }),
      documentation: {
        id: 'listPolicyRevisions',
        summary: 'List revisions',
        description: 'Who changed the rows, when and why; newest first.',
        tag: 'policy',
        response: RevisionsView,
      },
    }),
    route({
      ...READING_POLICY,
      path: '/policy/revisions/:revision',
      params: ByRevision,
      handle: async ({ params: { revision }, deadline }) => {
        const found = await findRevision(database, revision)
        if (!found) throw new Refusal('not_found')
        const decisions_changed = found.decisions_changed ?? (await decisionsChangedBy(revision, deadline))
        return { status: 200, body: { ...found, decisions_changed } }
      },
      documentation: {
        id: 'getPolicyRevision',
        summary: 'Show a revision',
        description: 'With the decisions that it changed.',
        tag: 'policy',
        response: ShownRevision,
      },
    }),
    route({
      ...editing,
      path: '/policy/revisions/:revision/restore',
      params: ByRevision,
      body: Restoration,
      handle: async ({ params: { revision }, body, headers, ...input }) => {
        if (headers.ifMatch !== undefined) await requireRevision(policy, input.snapshot, headers.ifMatch)
        const stored = await readStoredPolicy(database, rules)
        // if the stored rows cannot be in force, the last good revision decides, and a restore is the way out
        const { revision: decidedUnder } = input.snapshot
        const isReplaced =
          stored.fault === null ? stored.revision !== decidedUnder : stored.lastGood.revision > decidedUnder
        if (isReplaced) throw new PolicyReplaced('restore')
        const plan = await planRestore(database, stored, revision, rules, input.caller.user, input.deadline)
        if (!plan) throw noSuchRevision(revision)
        return performEdit(policy, plan, input, body.reason ?? `restore revision ${revision}`)
      },
      documentation: {
        id: 'restorePolicyRevision',
        tagged: 'write',
        ifMatch: 'optional',
        refusals: ['invariant_violated', 'beyond_own_rights'],
        example: { query: { dry_run: 'true' }, body: { reason: 'the edit of Tuesday was wrong' } },
        proposed: PROPOSED,
        summary: 'Restore a revision',
        description: 'Its rows become a new revision, with the checks of every edit.',
        tag: 'policy',
        response: EditView,
      },
    }),
  ]
}
