import { violates } from '../../database/errors.js'
import { LINK_ROW } from '../../database/link-row.js'
import { Refusal } from '../../domain/refusal.js'
import type { ResourceRoles } from './context.js'
import { ownedRows, type OwnedRows, type Reached } from './query.js'

export const LINK_ROLES: ResourceRoles = { own: 'links_own', any: 'links_any' }

/**
 * The links in which a text or a tag is searched for. LIKE and @> are not leakproof, so under row-level security
 * PostgreSQL uses no index for them. If the caller reaches only their own rows, a view of these rows finds the ids by
 * index (docs/decisions/0024).
 */
export const searchable = (reached: Reached): OwnedRows =>
  ownedRows(reached.reach === 'own' ? 'own_links' : 'links', reached)

/** Called with the code of a link that this process created, changed or deleted, before the answer is sent. */
export type LinkChanged = (code: string) => void

/** The columns that move between `links` and `deleted_links`: all except the generated one. */
export const MOVED_COLUMNS: readonly string[] = [
  ...LINK_ROW.filter((column) => column !== 'has_password'),
  'password_hash',
]

/** The times of a link, as far as a request or a record has them. */
export interface Times {
  readonly starts_at?: string | null | undefined
  readonly expires_at?: string | null | undefined
}

/** The refusal of a link that would end before it starts. Names the time that the request sets. */
export const timesOutOfOrder = ({ starts_at: start, expires_at: end }: Times): Refusal => {
  const fault =
    typeof start === 'string' && end === undefined
      ? { field: 'starts_at', message: 'must be before expires_at' }
      : { field: 'expires_at', message: 'must be after starts_at' }
  return new Refusal('validation_failed', { errors: [fault] })
}

/** Turns a violated constraint on a link's fields into a refusal. `changes`: the fields that the request sets. */
export const refuseFields = (error: unknown, changes: Times = {}): never => {
  if (violates(error, 'links_times_in_order')) throw timesOutOfOrder(changes)
  const fault = FAULTS.find(({ constraint }) => violates(error, constraint))
  if (fault === undefined) throw error
  const { code, field, message } = fault
  throw new Refusal(code, { errors: [{ field, message }] })
}

const FAULTS = [
  { constraint: 'links_code_key', code: 'code_taken', field: 'code', message: 'is taken' },
  { constraint: 'links_owner_id_fkey', code: 'validation_failed', field: 'owner_id', message: 'must be a user' },
] as const
