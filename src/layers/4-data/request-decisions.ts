import type { Database } from '../../database/database.js'
import { DECISION_COLUMN_NAMES } from '../../domain/decision-record.js'
import type { DecisionRecord } from '../../domain/decision-record.js'
import type { DataRule } from '../route.js'
import { read } from './context.js'
import { AS_READER } from './decisions.js'
import { knex, prepared } from './query.js'

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

/** Reads the records of a request. */
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
