import type { Database } from '../../database/database.js'
import { DECISION_COLUMN_NAMES, type DecisionRecord } from '../../domain/decision-record.js'
import type { DataRule } from '../rules.js'
import { read } from './context.js'
import { AS_READER } from './decisions.js'
import { knex, prepared } from './query.js'

/** A record of the log, with its id, and with time and revision in the types that the database returns. */
export interface RequestDecision extends Omit<DecisionRecord, 'revision'> {
  readonly id: string
  readonly time: Date
  readonly revision: string
}

/** The records of one request, newest first. Callers may choose request ids, so many requests can share one. */
export interface RequestDecisions {
  of(requestId: string): Promise<{
    readonly records: readonly RequestDecision[]
    /** true if there are older records that are left out */
    readonly more: boolean
  }>
}

const MOST = 100

export const requestDecisions = (database: Database): RequestDecisions => ({
  of: async (requestId) => {
    const query = knex('decisions')
      .select('id', ...DECISION_COLUMN_NAMES)
      .where({ request_id: requestId, kind: 'decision' })
      .orderBy('id', 'desc')
      .limit(MOST + 1)
    const rows = await read<RequestDecision>(database, AS_READER, prepared(query))
    return { records: rows.slice(0, MOST), more: rows.length > MOST }
  },
})

export const requestDecisionsStore = (database: Database): DataRule<RequestDecisions> => ({
  rows: 'decision records, to read alone',
  open: () => requestDecisions(database),
})
