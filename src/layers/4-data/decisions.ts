import type { Database } from '../../database/database.js'
import { AUDIT_READER } from '../../database/decision-log.js'
import { DECISION_COLUMN_NAMES } from '../../domain/decision-record.js'
import { isId } from '../../domain/id.js'
import type { DataRule } from '../route.js'
import { enter, read } from './context.js'
import { pageOf, parseCursor } from './keyset.js'
import type { Page } from './keyset.js'
import { knex, toStatement } from './query.js'

/** `decision`: what the layers answered. The others: a change, by a request, the command line or SQL. */
export const ENTRY_KINDS = ['decision', 'user', 'policy', 'audit'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export interface LogFilter {
  /** default: all of them */
  readonly kind?: EntryKind | undefined
  readonly user?: string | undefined
  readonly request?: string | undefined
  readonly action?: string | undefined
  readonly effect?: 'allow' | 'deny' | undefined
  readonly rule?: string | undefined
  /** ISO 8601; from is inclusive, to is not */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** only entries with greater ids */
  readonly after?: string | undefined
}

export interface LogQuery extends LogFilter {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** An entry as a statement answers it: bigint as text, times as Date. */
export interface LogRow {
  readonly id: string
  readonly time: Date
  readonly kind: EntryKind
  readonly request_id: string
  readonly revision: string
  readonly layer: string | null
  readonly subject_id: string | null
  readonly subject_role: string | null
  readonly token_id: string | null
  readonly network: string | null
  readonly action: string | null
  readonly resource_type: string
  readonly resource_code: string | null
  readonly relation: string | null
  readonly effect: string | null
  readonly rule: string | null
  readonly row_priority: number | null
  readonly status: number | null
  readonly change: Readonly<Record<string, unknown>> | null
}

const COLUMNS = ['id', 'kind', ...DECISION_COLUMN_NAMES, 'change']

const SORT = '-id'
const EXPORT_BATCH = 1_000

/** An entry as it is shown. */
export const viewEntry = ({ kind, change, ...row }: LogRow) => ({
  id: row.id,
  time: row.time.toISOString(),
  kind,
  request_id: row.request_id,
  revision: Number(row.revision),
  layer: row.layer,
  subject: { id: row.subject_id, role: row.subject_role, network: row.network },
  token_id: row.token_id,
  action: row.action,
  resource: { type: row.resource_type, code: row.resource_code, relation: row.relation },
  effect: row.effect,
  rule: row.rule,
  row_priority: row.row_priority,
  status: row.status,
  ...(kind === 'decision' || change === null ? {} : { change }),
})

/** An entry as it is shown; what a change does not have (a layer, an effect) is null. */
export type LogEntry = ReturnType<typeof viewEntry>

/** The decision log, read-only. */
export interface DecisionLog {
  /** Newest first. */
  page(query: LogQuery): Promise<Page<LogEntry>>
  /** All that match, oldest first, in batches; memory does not grow with their number. */
  export(filter: LogFilter): AsyncGenerator<readonly LogEntry[]>
}

export const AS_READER = { enterRead: enter(AUDIT_READER, null) }

const matching = ({ kind, user, request, action, effect, rule, from, to, after }: LogFilter) => {
  const query = knex('decisions').select(...COLUMNS)
  if (kind !== undefined) query.where('kind', kind)
  if (user !== undefined) query.where('subject_id', user)
  if (request !== undefined) query.where('request_id', request)
  if (action !== undefined) query.where('action', action)
  if (effect !== undefined) query.where('effect', effect)
  if (rule !== undefined) query.where('rule', rule)
  if (from !== undefined) query.where('time', '>=', from)
  if (to !== undefined) query.where('time', '<', to)
  if (after !== undefined) query.where('id', '>', after)
  return query
}

export const decisionLog = (database: Database): DecisionLog => ({
  page: async ({ limit, cursor, ...filter }) => {
    const query = matching(filter)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (cursor !== undefined) query.where('id', '<', parseCursor(cursor, SORT, isId))
    const rows = (await read<LogRow>(database, AS_READER, query)).map(viewEntry)
    return pageOf(rows, limit, SORT, ({ id }) => id)
  },
  async *export(filter) {
    for await (const rows of database.stream<LogRow>(
      AS_READER.enterRead,
      toStatement(matching(filter).orderBy('id')),
      EXPORT_BATCH,
    ))
      yield rows.map(viewEntry)
  },
})

export const decisionsStore = (database: Database): DataRule<DecisionLog> => ({
  rows: 'the decision log, to read alone',
  open: () => decisionLog(database),
})
