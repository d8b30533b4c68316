import type { Database } from '../../database/database.js'
import { isId } from '../../domain/id.js'
import type { DataRule } from '../route.js'
import { inTransaction } from './context.js'
import { formatCursor, parseCursor } from './keyset.js'
import { knex, toStatement } from './query.js'

export interface DecisionQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly user?: string | undefined
  readonly action?: string | undefined
  readonly effect?: 'allow' | 'deny' | undefined
  readonly rule?: string | undefined
  /** ISO 8601; from is inclusive, to is not */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface Row {
  readonly id: string
  readonly time: Date
  readonly request_id: string
  readonly revision: string
  readonly layer: string
  readonly subject_id: string | null
  readonly subject_role: string
  readonly token_id: string | null
  readonly network: string | null
  readonly action: string
  readonly resource_type: string
  readonly resource_code: string | null
  readonly relation: string
  readonly effect: string
  readonly rule: string
  readonly row_priority: number | null
  readonly status: number
}

const SORT = '-id'

const view = (row: Row) => ({
  id: row.id,
  time: row.time.toISOString(),
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
})

/** Decision records, for those whom the policy lets read them: all of them, and nothing can be changed from here. */
export interface Decisions {
  page(query: DecisionQuery): Promise<{ readonly data: readonly ReturnType<typeof view>[]; readonly next_cursor: string | null }>
}

export const decisionsStore = (database: Database): DataRule<Decisions> => ({
  rows: 'decision records, to read alone',
  open: () => ({
    page: async ({ limit, cursor, user, action, effect, rule, from, to }) => {
      const query = knex('decisions').select('*').where('kind', 'decision').orderBy('id', 'desc').limit(limit + 1)
      if (user !== undefined) query.where('subject_id', user)
      if (action !== undefined) query.where('action', action)
      if (effect !== undefined) query.where('effect', effect)
      if (rule !== undefined) query.where('rule', rule)
      if (from !== undefined) query.where('time', '>=', from)
      if (to !== undefined) query.where('time', '<', to)
      if (cursor !== undefined) query.where('id', '<', parseCursor(cursor, SORT, isId))
      const rows = await inTransaction<Row>(database, { name: 'enter', text: 'select enter($1, $2)', values: ['audit_reader', null] }, toStatement(query))
      const data = rows.slice(0, limit).map(view)
      const last = data.at(-1)
      return { data, next_cursor: rows.length > limit && last ? formatCursor({ sort: SORT, key: last.id }) : null }
    },
  }),
})
