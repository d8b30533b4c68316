import { DECISION_COLUMNS, type DecisionRecord } from '../domain/decision-record.js'
import type { Statement } from './statement.js'

/** The database role that may read the decision log, and nothing else. */
export const AUDIT_READER = 'audit_reader'

/** The database role that may add to the decision log. */
export const AUDIT_WRITER = 'audit_writer'

// the database sets the time
const { time: _time, ...GIVEN } = DECISION_COLUMNS
const NAMES = Object.keys(GIVEN).join(', ')
const TYPED = Object.entries(GIVEN)
  .map((column) => column.join(' '))
  .join(', ')

type KnownOfDecision = { readonly [Name in keyof DecisionRecord]?: DecisionRecord[Name] | undefined }

/** Tells the triggers that record the rest of the transaction which decision or request it belongs to. */
export const recordUnder = (decision: KnownOfDecision): Statement => ({
  name: 'record_under',
  text: `select set_config('app.decision', $1, true)`,
  values: [JSON.stringify(decision)],
})

/** The statement that adds decisions to the log. */
export const insertDecisions = (records: readonly DecisionRecord[]) => ({
  name: 'record_decisions',
  text: `insert into decisions (${NAMES}) select ${NAMES} from jsonb_to_recordset($1::jsonb) as d (${TYPED})`,
  values: [JSON.stringify(records)],
})
