import type { Adapter } from 'casbin'
import type { PoolClient } from 'pg'

import { ADVISORY_LOCKS } from '../database/advisory-locks.js'
import type { Database } from '../database/database.js'
import { insertDecisions, recordUnder } from '../database/decision-log.js'
import { enter, sendTo, type Statement } from '../database/statement.js'
import { PolicyReplaced, violates } from '../database/errors.js'
import type { Deadline } from '../domain/deadline.js'
import type { DecisionRecord } from '../domain/decision-record.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { newPostgresAdapter } from './adapter.js'
import type { EditPlan } from './edit.js'
import { rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import { closeProposal, type Actor } from './proposal-statements.js'
import type { Snapshot } from './snapshot.js'
import type { StoredRow } from './store.js'
import { POLICY_CHANNEL } from './watch.js'

/** Who makes an edit, and why. */
export interface EditOrigin {
  /** a user, by id alone, or a person at the command line, by name */
  readonly actor: Actor
  readonly reason: string
  /** each fails if the caller's rights have changed since the edit was decided; empty at the command line */
  readonly proofs?: readonly Statement[]
  /** set if the actor only proposed the edit: who approved it, and why */
  readonly approval?: {
    readonly proposal: string
    readonly actor: Actor
    readonly reason: string | null
  }
  /** true if it bypasses the approval that the installation requires */
  readonly withoutApproval?: boolean | undefined
  /** the edit must not commit after it */
  readonly deadline?: Deadline
  /** what allowed the edit, for the decision log; null at the command line */
  readonly decision: Pick<
    DecisionRecord,
    'request_id' | 'revision' | 'subject_role' | 'token_id' | 'rule' | 'row_priority'
  > | null
}

/**
 * Commits a plan as the next revision: rows, revision, decision record and notification in one transaction, under the
 * exclusive policy lock, so that no change decided under the old revision can still commit. Returns the new snapshot.
 * Throws PolicyReplaced if the plan's base is no longer the revision in force, CallerChanged if a caller's rights have
 * changed since the edit was decided, and `proposal_closed` if the proposal that it approves is closed.
 */
export const commitEdit = async (database: Database, plan: EditPlan, origin: EditOrigin): Promise<Snapshot> => {
  await database.transaction((client) => writePlan(client, plan, origin), origin.deadline)
  return plan.candidate
}

const writePlan = async (
  client: PoolClient,
  plan: EditPlan,
  { actor, reason, proofs = [], approval, withoutApproval = false, decision }: EditOrigin,
): Promise<void> => {
  const { add, remove, unreadable, commented, candidate, changes } = plan
  const revision = String(candidate.revision)
  const adapter = await newPostgresAdapter(client)
  const decider = approval?.actor ?? actor
  // Only two round trips: every change in the service waits while this lock is held.
  const [, head] = await Promise.all([
    client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.policy]),
    client.query<{ revision: string }>('select revision from policy_head'),
    ...proofs.map((proof) => sendTo(client, proof)),
  ])
  const inForce = head.rows[0]?.revision
  if (Number(inForce) !== candidate.revision - 1) {
    throw new PolicyReplaced(`revision ${inForce} is in force, the edit was made for ${candidate.revision - 1}`)
  }
  await Promise.all([
    sendTo(client, enter('policy_editor', decider.id)),
    decision && sendTo(client, recordUnder({ ...decision, subject_id: decider.id })),
    ...unreadable.map(({ ptype, rule }) =>
      client.query('delete from casbin where ptype = $1 and rule = $2::jsonb', [ptype, JSON.stringify(rule)]),
    ),
    writeRows(client, adapter, plan),
    client.query(
      `insert into policy_revisions
         (revision, actor_id, actor, reason, added, removed, comments, decisions_changed, model_sha256, proposal,
          approved_by, approver, without_approval)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        revision,
        actor.id,
        actor.name,
        reason,
        JSON.stringify(add),
        JSON.stringify([...remove, ...unreadable.map(asHistory)]),
        JSON.stringify(commented),
        JSON.stringify(changes),
        candidate.model.sha256,
        approval?.proposal ?? null,
        approval?.actor.id ?? null,
        approval?.actor.name ?? null,
        withoutApproval,
      ],
    ),
    approval && sendTo(client, closeProposal(approval.proposal, { ...approval, state: 'applied', revision })),
    client.query('update policy_head set revision = $1', [revision]),
    decision &&
      writeDecision(client, {
        ...decision,
        layer: 'object',
        subject_id: decider.id,
        network: null,
        action: 'policy:write',
        resource_type: 'policy',
        resource_code: revision,
        resource_id: null,
        relation: 'other',
        effect: 'allow',
        status: 200,
      }),
    client.query('select pg_notify($1, $2)', [POLICY_CHANNEL, revision]),
  ])
}

const writeDecision = (client: PoolClient, record: DecisionRecord) => sendTo(client, insertDecisions([record]))

/** In the form that the trigger for edits by hand writes to the history. */
const asHistory = ({ ptype, rule }: StoredRow): readonly unknown[] => [ptype, ...(Array.isArray(rule) ? rule : [rule])]

/**
 * Sends the rows through casbin-pg-adapter, pipelined. Only the closed vocabulary gets here, so a removal contains none
 * of the adapter's patterns (`regex:`, `like:`, empty fields). The rows are counted all the same.
 */
const writeRows = async (client: PoolClient, adapter: Adapter, { add, remove, candidate }: EditPlan): Promise<void> => {
  const section = ({ ptype }: PolicyRow) => (ptype === 'g' ? 'g' : 'p')
  const writes = [
    ...remove.map((row) => adapter.removePolicy(section(row), row.ptype, rowTexts(row))),
    ...add.map((row) => adapter.addPolicy(section(row), row.ptype, rowTexts(row))),
  ]
  const counting = client.query<{ count: string }>('select count(*) from casbin')
  const [counted] = await Promise.all([counting, ...writes]).catch((error: unknown) => {
    throw violates(error, 'casbin_row_key') || violates(error, 'casbin_priority_key') ? notTheBase() : error
  })
  if (Number(counted.rows[0]?.count) !== candidate.rows.length) throw notTheBase()
}

const notTheBase = () => new PolicyError('the stored rows are not those of the revision in force')
