import type { Database } from '../../database/database.js'
import { AUDIT_READER } from '../../database/decision-log.js'
import { enter } from '../../database/statement.js'
import { adviseIfLate } from '../../domain/deadline.js'
import { DECISION_COLUMN_NAMES, type DecisionRecord } from '../../domain/decision-record.js'
import { isId } from '../../domain/id.js'
import { statusRange, type EntryKind, type LogFilter } from '../../domain/log-filter.js'
import type { DataRule } from '../rules.js'
import { read, type ReadIdentity } from './context.js'
import { countRows } from './count.js'
import { newestFirst, type Page, type PageQuery } from './keyset.js'
import { knex, toStatement } from './query.js'

export type LogQuery = LogFilter & PageQuery

/** An entry as the database returns it: bigint as text, times as Date. Fields that a change does not have are null. */
interface LogRow extends OrNull<Omit<DecisionRecord, 'request_id' | 'revision' | 'resource_type'>> {
  readonly id: string
  readonly time: Date
  readonly kind: EntryKind
  readonly request_id: string
  readonly revision: string
  readonly resource_type: string
  readonly change: Readonly<Record<string, unknown>> | null
}

type OrNull<T> = { readonly [Member in keyof T]: T[Member] | null }

const COLUMNS = ['id', 'kind', ...DECISION_COLUMN_NAMES, 'change']

const EXPORT_BATCH = 1_000

/** Converts an entry to its public form. */
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
  resource: { type: row.resource_type, id: row.resource_id, code: row.resource_code, relation: row.relation },
  effect: row.effect,
  rule: row.rule,
  row_priority: row.row_priority,
  status: row.status,
  ...(change === null ? {} : { change }),
})

/** The public form of an entry. Fields that a change does not have (layer, effect) are null. */
export type LogEntry = ReturnType<typeof viewEntry>

/** The decision log, read-only. */
export interface DecisionLog {
  /** Newest first. */
  page(query: LogQuery): Promise<Page<LogEntry>>
  /** How many match, up to 10,000. */
  countListed(filter: LogFilter): Promise<number>
  /** All that match, oldest first, in batches, in constant memory. */
  export(filter: LogFilter): AsyncGenerator<readonly LogEntry[]>
}

export const AS_READER: ReadIdentity = { enterRead: enter(AUDIT_READER, null) }

/** Filters that compare a column for equality. */
const EQUAL = [
  ['kind', 'kind'],
  ['user', 'subject_id'],
  ['request', 'request_id'],
  ['action', 'action'],
  ['effect', 'effect'],
  ['rule', 'rule'],
  ['layer', 'layer'],
  ['revision', 'revision'],
] as const satisfies readonly (readonly [keyof LogFilter, keyof LogRow])[]

/** The most common value, which a column's partial index excludes. To use it, a query must exclude that value, too. */
const LEFT_OUT = [
  ['kind', 'decision'],
  ['layer', 'object'],
  ['effect', 'allow'],
] as const satisfies readonly (readonly [keyof LogFilter & keyof LogRow, string])[]

const matching = (filter: LogFilter) => {
  const query = knex('decisions').select(...COLUMNS)
  for (const [name, column] of EQUAL) if (filter[name] !== undefined) query.where(column, filter[name])
  for (const [name, common] of LEFT_OUT)
    if (filter[name] !== undefined && filter[name] !== common) query.whereRaw(`${name} <> '${common}'`)
  const statuses = filter.status === undefined ? null : statusRange(filter.status)
  if (statuses !== null) query.whereBetween('status', statuses)
  if (statuses !== null && !isWithin(200, statuses)) query.whereRaw('status <> 200')
  if (filter.link !== undefined) query.where(aboutLink(filter.link))
  if (filter.from !== undefined) query.where('time', '>=', filter.from)
  if (filter.to !== undefined) query.where('time', '<', filter.to)
  if (filter.after !== undefined) query.where('id', '>', filter.after)
  return query
}

const isWithin = (status: number, [first, last]: readonly [number, number]) => first <= status && status <= last

/** Matches entries about a link by its code (also an earlier one) or id. Written so that an index serves each part. */
const aboutLink = (name: string) =>
  knex.raw(
    `resource_type = 'link'
      and (resource_code = ? or (change is not null and change -> 'code' ->> 0 = ?) or resource_id = ?)`,
    [name, name, isId(name) ? name : null],
  )

const NEWEST_FIRST = newestFirst('log')

const tooSlow = adviseIfLate('Looking through the log took too long. Ask for a shorter time.')

/** `reader`: who exports the log, as a user's id or a name that no user has. */
export const decisionLog = (database: Database, reader: string): DecisionLog => ({
  page: async (query) => {
    const rows = await read<LogRow>(database, AS_READER, NEWEST_FIRST.select(matching(query), query)).catch(tooSlow)
    return NEWEST_FIRST.pageOf(rows.map(viewEntry), query.limit)
  },
  countListed: (filter) => countRows(database, AS_READER, matching(filter).clearSelect()).catch(tooSlow),
  async *export(filter) {
    for await (const rows of database.stream<LogRow>(
      { id: reader, enter: AS_READER.enterRead },
      toStatement(matching(filter).orderBy('id')),
      EXPORT_BATCH,
    ))
      yield rows.map(viewEntry)
  },
})

export const decisionsStore = (database: Database): DataRule<DecisionLog> => ({
  rows: 'the decision log, to read alone',
  open: ({ caller }) => decisionLog(database, caller.user?.id ?? 'anonymous'),
})
