import { toId } from '../domain/id.js'
import { NO_VISITS, type Link, type VisitCount } from '../domain/link.js'

type Converted = 'id' | 'owner_id' | 'created_at' | 'updated_at' | 'version' | 'starts_at' | 'expires_at'

/** A link as pg returns it: bigint as text, times as Date. */
export interface LinkRow extends Omit<Link, Converted | 'starts_ms' | 'expires_ms' | 'visits'> {
  readonly id: string
  readonly owner_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: string
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  /** `visitsOf()`, if the query asks for it; null: no visits yet */
  readonly visits?: VisitCount | null
}

/** The column of a LinkRow with the visits of a row of `links`, or of another table under this name. */
export const visitsOf = (links: string): string =>
  `(select jsonb_build_object('total', v.visits, 'last_at', v.last_at)
      from visit_counts v where v.link_id = ${links}.id) as visits`

/** The columns of a LinkRow that are stored in `links`: all but the hash of the password. */
export const LINK_ROW = [
  'id',
  'code',
  'target',
  'owner_id',
  'created_at',
  'updated_at',
  'version',
  'title',
  'note',
  'tags',
  'status',
  'active',
  'starts_at',
  'expires_at',
  'max_visits',
  'used',
  'has_password',
  'forward_query',
] as const satisfies readonly Exclude<keyof LinkRow, 'visits'>[]

/** Only the columns of a link, whatever else the query returned. */
export const toLink = (row: LinkRow): Link => ({
  id: toId(row.id),
  code: row.code,
  target: row.target,
  owner_id: row.owner_id === null ? null : toId(row.owner_id),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  version: Number(row.version),
  title: row.title,
  note: row.note,
  tags: row.tags,
  status: row.status,
  active: row.active,
  starts_at: row.starts_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  starts_ms: row.starts_at?.getTime() ?? null,
  expires_ms: row.expires_at?.getTime() ?? null,
  max_visits: row.max_visits,
  used: row.used,
  has_password: row.has_password,
  forward_query: row.forward_query,
  visits: row.visits ? { total: row.visits.total, last_at: toTime(row.visits.last_at) } : NO_VISITS,
})

/** PostgreSQL writes a time in JSON with an offset. */
const toTime = (text: string | null): string | null => (text === null ? null : new Date(text).toISOString())
