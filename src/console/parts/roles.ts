import { isUserRole } from '../../domain/role.js'
import { api } from '../api'
import { inOrder } from './in-order'
import { useLoaded } from './loaded'
import { may } from './service-rights'

/** The roles of a new installation, for users who may give out roles but not read the policy. */
const FIRST_ROLES = ['viewer', 'editor', 'admin']

const loadRoles = async (signal: AbortSignal): Promise<readonly string[]> => {
  const { rows } = await api.getPolicy({}, { signal })
  const named = rows.map(({ role }) => role).filter(isUserRole)
  return [...new Set([...FIRST_ROLES, ...inOrder(named)])]
}

/** Roles that a user can have, as far as the caller may know them. */
export const useRoles = (): readonly string[] => {
  // only once it is known: the log records what was asked for and may not be read
  const mayRead = may('policy:read')
  return useLoaded(async (signal) => (mayRead ? loadRoles(signal) : null), [mayRead]).value ?? FIRST_ROLES
}
