import { violates } from '../../database/errors.js'
import { LINK_ROW } from '../../database/link-row.js'
import { Refusal } from '../../domain/refusal.js'
import type { ResourceRoles } from './context.js'

/** The database roles that links are reached as. */
export const LINK_ROLES: ResourceRoles = { own: 'links_own', any: 'links_any' }

/** Told of a code whose link this process has made, changed or deleted, before anybody gets the answer. */
export type LinkChanged = (code: string) => void

/** The columns that move between `links` and `deleted_links`: all but the one that PostgreSQL computes. */
export const MOVED_COLUMNS: readonly string[] = [
  ...LINK_ROW.filter((column) => column !== 'has_password'),
  'password_hash',
]

/** Refuses what only the database can say of a link's fields. */
export const refuseFields = (error: unknown): never => {
  const fault = FAULTS.find(({ constraint }) => violates(error, constraint))
  if (fault === undefined) throw error
  const { code, field, message } = fault
  throw new Refusal(code, { errors: [{ field, message }] })
}

const FAULTS = [
  { constraint: 'links_code_key', code: 'code_taken', field: 'code', message: 'is taken' },
  {
    constraint: 'links_times_in_order',
    code: 'validation_failed',
    field: 'expires_at',
    message: 'must be after starts_at',
  },
  { constraint: 'links_owner_id_fkey', code: 'validation_failed', field: 'owner_id', message: 'must be a user' },
] as const
