import { isUserRole } from '../../domain/role.js'
import { api } from '../api'
import { useLoaded } from './loaded'

/** The roles of a new installation, for users who may give out roles but not read the policy. */
const FIRST_ROLES = ['viewer', 'editor', 'admin']

const loadRoles = async (signal: AbortSignal): Promise<readonly string[]> => {
  const { rows } = await api.getPolicy({}, { signal })
  return [...new Set([...FIRST_ROLES, ...rows.map(({ role }) => role)])].filter(isUserRole)
}

/** Roles that a user can have, as far as the caller may know them. */
export const useRoles = (): readonly string[] => useLoaded(loadRoles, []).value ?? FIRST_ROLES
