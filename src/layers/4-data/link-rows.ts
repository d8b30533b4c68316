import { violates } from '../../database/errors.js'
import { LINK_ROW } from '../../database/link-row.js'
import { Refusal } from '../../domain/refusal.js'
import type { ResourceRoles } from './context.js'

/** The database roles for links. */
export const LINK_ROLES: ResourceRoles = { own: 'links_own', any: 'links_any' }

/** Called with the code of a link that this process created, changed or deleted, before the answer is sent. */
export type LinkChanged = (code: string) => void

/** The columns that move between `links` and `deleted_links`: all except the generated one. */
export const MOVED_COLUMNS: readonly string[] = [
  ...LINK_ROW.filter((column) => column !== 'has_password'),
  'password_hash',
]

/** Turns a violated constraint on a link's fields into a refusal. */
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
