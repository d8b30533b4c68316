import type { PoolClient } from 'pg'

import type { Database } from '../database/database.js'
import type { PolicyRow } from '../domain/policy-row.js'
import { describeViolation, findViolations } from './invariants.js'
import type { Invariant } from './invariants.js'
import type { PolicyModel } from './model.js'
import { parseRowTexts } from './parse-row.js'
import { PolicyError, describeFaults } from './policy-error.js'
import { buildSnapshot } from './snapshot.js'
import type { Snapshot } from './snapshot.js'

/** What the files of an installation say: the model, and what no revision may break. */
export interface PolicyRules { readonly model: PolicyModel; readonly invariants: readonly Invariant[] }

interface StoredRow { readonly ptype: string; readonly rule: unknown }

const SLICE = 1_000

/** Narrows stored rows. One that does not parse refuses them all: a policy is loaded whole, or not at all. */
const parseStored = async (stored: readonly StoredRow[]): Promise<readonly PolicyRow[]> => {
  const rows: PolicyRow[] = []
  for (const [i, { ptype, rule }] of stored.entries()) {
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate)
    const texts = Array.isArray(rule) && rule.every((text): text is string => typeof text === 'string') ? rule : undefined
    const row = texts === undefined ? undefined : parseRowTexts(ptype, texts)
    if (!row?.ok) throw new PolicyError(`a stored row does not parse: ${ptype}, ${JSON.stringify(rule).slice(0, 200)}${row ? ` (${describeFaults(row.faults)})` : ''}`)
    rows.push(row.value)
  }
  return rows
}

/** The rows and the revision that they are, seen at one moment. */
export const readRows = async (client: Pick<PoolClient, 'query'>): Promise<{ readonly revision: number; readonly stored: readonly StoredRow[] }> => {
  const { rows: [head] } = await client.query<{ revision: string }>('select revision from policy_head')
  const { rows: stored } = await client.query<StoredRow>(
    `select ptype, rule from casbin order by ptype, case when ptype = 'p' then (rule ->> 0)::bigint end, id`)
  return { revision: Number(head?.revision ?? 0), stored }
}

/**
 * Loads the newest revision as a snapshot; null where it is the one already `known`, or where no policy was stored yet.
 * Reads the table itself rather than through the adapter's loadPolicy, which has no order, blocks, and parses every value
 * again as CSV. Throws PolicyError for rows that do not parse or that break an invariant; what is in force stays so.
 */
export const loadSnapshot = (database: Database, { model, invariants }: PolicyRules) => async (known: number | null): Promise<Snapshot | null> => {
  const [head] = await database.run<{ revision: string }>({ name: 'policy_head', text: 'select revision from policy_head' })
  if (head === undefined || Number(head.revision) === (known ?? 0)) return null
  const { revision, stored } = await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read, read only')
    return readRows(client)
  })
  const snapshot = await buildSnapshot(revision, model, await parseStored(stored))
  const [violation] = await findViolations(snapshot, invariants)
  if (violation) {
    throw new PolicyError(`the stored rows of revision ${revision} break an ${describeViolation(violation)} To recover: linkgate policy restore REVISION, or see docs/operations.md.`)
  }
  return snapshot
}
