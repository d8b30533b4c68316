import type { Database } from '../../database/database.js'
import type { DecisionRecord } from '../../domain/decision-record.js'
import type { DataRule } from '../route.js'
import { inTransaction } from './context.js'
import { knex, toStatement } from './query.js'

/** A record as the log holds it: with its id, and the time and the revision as the database gives them. */
export interface RequestDecision extends Omit<DecisionRecord, 'time' | 'revision'> {
  readonly id: string
  readonly time: Date
  readonly revision: string
}

/** The records of one request. A caller may name requests itself, so one name may stand for many: the newest. */
export interface RequestDecisions {
  of(requestId: string): Promise<{
    readonly records: readonly RequestDecision[]
    /** true where there are older ones beyond */ readonly more: boolean
  }>
}

const MOST = 100
const COLUMNS = [
  'id',
  'time',
  'request_id',
  'revision',
  'layer',
  'subject_id',
  'subject_role',
  'token_id',
  'network',
  'action',
  'resource_type',
  'resource_code',
  'relation',
  'effect',
  'rule',
  'row_priority',
  'status',
] as const

export const requestDecisions = (database: Database): RequestDecisions => ({
  of: async (requestId) => {
    const query = knex('decisions')
      .select(COLUMNS)
      .where({ request_id: requestId, kind: 'decision' })
      .orderBy('id', 'desc')
      .limit(MOST + 1)
    const rows = await inTransaction<RequestDecision>(
      database,
      { name: 'enter', text: 'select enter($1, $2)', values: ['audit_reader', null] },
      toStatement(query, 'decisions_of_request'),
    )
    return { records: rows.slice(0, MOST), more: rows.length > MOST }
  },
})

export const requestDecisionsStore = (database: Database): DataRule<RequestDecisions> => ({
  rows: 'decision records, to read alone',
  open: () => requestDecisions(database),
})
