import type { Adapter } from 'casbin'
import type { PoolClient } from 'pg'

import type { Database } from '../database/database.js'
import { violates } from '../database/errors.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { Refusal } from '../domain/refusal.js'
import type { Fault } from '../domain/refusal.js'
import { newPostgresAdapter } from './adapter.js'
import { describeViolation, findViolations } from './invariants.js'
import type { Invariant } from './invariants.js'
import type { PolicyModel } from './model.js'
import { parseRow, rowKey, rowTexts } from './parse-row.js'
import { PolicyError } from './policy-error.js'
import { buildSnapshot } from './snapshot.js'
import type { Snapshot } from './snapshot.js'
import { inStoredOrder, invariantsOf } from './store.js'
import type { PolicyRules, StoredRow } from './store.js'
import { decisionChanges } from './table.js'
import type { CellChange } from './table.js'

/** Who edits: a user, or somebody at the command line (`id` null). */
export interface Actor {
  readonly id: string | null
  readonly name: string
}

export interface Edit {
  readonly add: readonly PolicyRow[]
  readonly remove: readonly PolicyRow[]
}

export interface EditPlan extends Edit {
  /** stored rows to remove that no parser reads: written by hand into the database */
  readonly unreadable: readonly StoredRow[]
  /** what a load makes of the stored rows once this is committed */
  readonly candidate: Snapshot
  readonly changes: readonly CellChange[]
}

/** Told to the log and the caller: what the edit was made for, and by whom. */
export interface EditOrigin {
  readonly actor: Actor
  readonly reason: string
  readonly requestId: string
  readonly record: EditRecord | null
}

/** The decision that allowed the edit, for the decision log; null at the command line. */
export interface EditRecord {
  readonly subjectRole: string
  readonly tokenId: string | null
  readonly rule: string
  readonly row: number | null
  readonly revision: number
}

const ADVISORY_LOCK = 7_274_501

/** Parses the rows of an edit out of JSON. Throws `validation_failed` naming each faulty row and field. */
export const parseEdit = (add: readonly unknown[], remove: readonly unknown[]): Edit => {
  const faults: Fault[] = []
  const parseAll = (list: string, rows: readonly unknown[]) =>
    rows.flatMap((input, i) => {
      const row = parseRow(input)
      if (row.ok) return [row.value]
      faults.push(
        ...row.faults.map(({ field, message }) => ({ field: `${list}[${i}]${field && `.${field}`}`, message })),
      )
      return []
    })
  const edit = { add: parseAll('add', add), remove: parseAll('remove', remove) }
  if (faults.length > 0) throw new Refusal('validation_failed', { errors: faults })
  return edit
}

/**
 * Works out what an edit would make of a snapshot, exactly, and changes nothing: the rows that really come and go, the
 * candidate, and every decision that changes. Throws `validation_failed` naming the row that cannot be removed or
 * added, and `invariant_violated` naming the invariant, the row and the decision.
 */
export const planEdit = async (base: Snapshot, edit: Edit, rules: PolicyRules): Promise<EditPlan> => {
  const rows = new Map(base.rows.map((row) => [rowKey(row), row]))
  const faults: Fault[] = []
  const remove = new Map<string, PolicyRow>()
  for (const [i, row] of edit.remove.entries()) {
    const key = rowKey(row)
    if (!rows.delete(key))
      faults.push({
        field: `remove[${i}]`,
        message: remove.has(key) ? 'is listed twice' : 'is not a row of the policy',
      })
    else remove.set(key, row)
  }
  const add = new Map<string, PolicyRow>()
  const priorities = new Map(
    [...rows.values()].flatMap((row) => (row.ptype === 'p' ? [[row.priority, rowKey(row)] as const] : [])),
  )
  for (const [i, row] of edit.add.entries()) {
    const key = rowKey(row)
    if (remove.has(key)) faults.push({ field: `add[${i}]`, message: 'is also listed for removal' })
    if (rows.has(key)) continue
    if (row.ptype === 'p') {
      if (priorities.has(row.priority))
        faults.push({
          field: `add[${i}].priority`,
          message: `${row.priority} is the priority of another row; priorities are unique`,
        })
      priorities.set(row.priority, key)
    }
    rows.set(key, row)
    add.set(key, row)
  }
  if (faults.length > 0) throw new Refusal('validation_failed', { errors: faults })

  const candidate = await candidateOf(base.revision + 1, rules.model, [...rows.values()])
  await requireInvariants(candidate, await invariantsOf(rules))
  const changed = [...add.values(), ...remove.values()]
  return {
    add: [...add.values()],
    remove: [...remove.values()],
    unreadable: [],
    candidate,
    changes: await decisionChanges(base, candidate, changed),
  }
}

/**
 * The snapshot that an edit would make of rows: those that stay, in the order in which they are stored, and then those
 * that come. Throws `validation_failed` where the rows together cannot be one.
 */
export const candidateOf = async (
  revision: number,
  model: PolicyModel,
  rows: readonly PolicyRow[],
): Promise<Snapshot> => {
  try {
    return await buildSnapshot(revision, model, inStoredOrder(rows))
  } catch (error) {
    if (error instanceof PolicyError)
      throw new Refusal('validation_failed', {
        errors: [{ field: 'add', message: `leaves rows that cannot be in force: ${error.message}` }],
      })
    throw error
  }
}

/** Throws `invariant_violated`, naming each invariant that the candidate breaks with the decision and the row. */
export const requireInvariants = async (candidate: Snapshot, invariants: readonly Invariant[]): Promise<void> => {
  const violations = await findViolations(candidate, invariants)
  const [first] = violations
  if (first === undefined) return
  throw new Refusal('invariant_violated', {
    detail: `The edit breaks ${violations.length === 1 ? 'an' : `${violations.length} invariants; the first is the`} ${describeViolation(first)}`,
    extensions: {
      violations: violations.map(({ invariant, cell, row }) => ({
        invariant: invariant.name,
        why: invariant.why,
        file: 'policies/invariants.csv',
        decision: cell,
        row,
      })),
    },
  })
}

/**
 * Commits a plan as the next revision: rows, revision, decision record and notification in one transaction under the
 * exclusive policy lock, so that no change that was decided under the old revision can still commit. All or nothing.
 * Answers, after the commit was confirmed, the snapshot that is the newest revision now: what a load would make of it.
 * Throws `precondition_failed` where the plan's base is no longer the revision in force.
 */
export const commitEdit = async (database: Database, plan: EditPlan, origin: EditOrigin): Promise<Snapshot> => {
  await database.transaction((client) => writePlan(client, plan, origin))
  return plan.candidate
}

const writePlan = async (client: PoolClient, plan: EditPlan, origin: EditOrigin): Promise<void> => {
  const { add, remove, unreadable, candidate, changes } = plan
  const adapter = await newPostgresAdapter(client)
  // Two turns on the wire, since every change of the service waits while the lock is held: lock and look, then all the
  // rest.
  const [
    ,
    {
      rows: [head],
    },
  ] = await Promise.all([
    client.query('select pg_advisory_xact_lock($1)', [String(ADVISORY_LOCK)]),
    client.query<{ revision: string }>('select revision from policy_head'),
  ])
  if (Number(head?.revision) !== candidate.revision - 1) {
    throw new Refusal('precondition_failed', {
      detail: `Policy revision ${head?.revision} is in force; the edit was made for ${candidate.revision - 1}.`,
    })
  }
  await Promise.all([
    client.query(`select enter('policy_editor', $1), set_config('app.policy_edit', 'on', true)`, [origin.actor.id]),
    ...unreadable.map(({ ptype, rule }) =>
      client.query('delete from casbin where ptype = $1 and rule = $2::jsonb', [ptype, JSON.stringify(rule)]),
    ),
    writeRows(client, adapter, plan).catch((error: unknown) => {
      if (violates(error, 'casbin_row_key') || violates(error, 'casbin_priority_key'))
        throw new PolicyError('the stored rows are not those of the revision in force')
      throw error
    }),
    client.query(
      `insert into policy_revisions (revision, actor_id, actor, reason, added, removed, decisions_changed, model_sha256) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        candidate.revision,
        origin.actor.id,
        origin.actor.name,
        origin.reason,
        JSON.stringify(add),
        JSON.stringify([...remove, ...unreadable.map(inHistory)]),
        JSON.stringify(changes),
        candidate.model.sha256,
      ],
    ),
    client.query('update policy_head set revision = $1', [candidate.revision]),
    ...(origin.record ? [writeRecord(client, origin.record, origin, candidate.revision)] : []),
    client.query(`select pg_notify('linkgate_policy', $1)`, [String(candidate.revision)]),
  ])
}

/** An unreadable row as the history holds it: what the trigger of edits by hand notes, too. */
const inHistory = ({ ptype, rule }: StoredRow): readonly unknown[] => [ptype, ...(Array.isArray(rule) ? rule : [rule])]

/**
 * Through casbin-pg-adapter, on this transaction's client. Every value has passed the closed vocabulary, so nothing of
 * the adapter's pattern language (`regex:`, `like:`, empty fields) can be in a removal; that exactly the wanted rows
 * are left is counted all the same. Sent without waiting for each other.
 */
const writeRows = async (client: PoolClient, adapter: Adapter, { add, remove, candidate }: EditPlan): Promise<void> => {
  const section = (row: PolicyRow) => (row.ptype === 'g' ? 'g' : 'p')
  const written = [
    ...remove.map((row) => adapter.removePolicy(section(row), row.ptype, rowTexts(row))),
    ...add.map((row) => adapter.addPolicy(section(row), row.ptype, rowTexts(row))),
  ]
  const counted = client.query<{ count: string }>('select count(*) from casbin')
  // the first to fail is the cause; those behind it fail only because of it
  const [
    {
      rows: [stored],
    },
  ] = await Promise.all([counted, ...written])
  if (Number(stored?.count) !== candidate.rows.length)
    throw new PolicyError('the stored rows are not those of the revision in force')
}

const writeRecord = async (
  client: PoolClient,
  record: EditRecord,
  { actor, requestId }: EditOrigin,
  revision: number,
): Promise<void> => {
  await client.query(
    `insert into decisions (request_id, revision, layer, subject_id, subject_role, token_id, action, resource_type, resource_code, relation, effect, rule, row_priority, status)
     values ($1, $2, 'object', $3, $4, $5, 'policy:write', 'policy', $6, 'other', 'allow', $7, $8, 200)`,
    [
      requestId,
      record.revision,
      actor.id,
      record.subjectRole,
      record.tokenId,
      String(revision),
      record.rule,
      record.row,
    ],
  )
}
