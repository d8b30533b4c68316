import { toId } from '../domain/id.js'
import type { Link } from '../domain/link.js'

/** A link as pg returns it: bigint as text, times as Date. */
export interface LinkRow {
  readonly id: string
  readonly code: string
  readonly target: string
  readonly owner_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly version: string
}

export const toLink = (row: LinkRow): Link => ({
  id: toId(row.id),
  code: row.code,
  target: row.target,
  owner_id: row.owner_id === null ? null : toId(row.owner_id),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  version: Number(row.version),
})
