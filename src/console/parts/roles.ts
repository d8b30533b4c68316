import { isUserRole } from '../../domain/role.js'
import { api } from '../api'
import { useLoaded } from './loaded'

/** Those of a new installation, for whoever may give roles without reading the policy. */
const FIRST_ROLES = ['viewer', 'editor', 'admin']

/** The roles that rows of the policy name. */
const loadRoles = async (signal: AbortSignal): Promise<readonly string[]> => {
  const { rows } = await api.getPolicy({}, { signal })
  return [...new Set([...FIRST_ROLES, ...rows.map(({ role }) => role)])].filter(isUserRole)
}

/** Roles that somebody can have, as far as the caller may know them. */
export const useRoles = (): readonly string[] => useLoaded(loadRoles, []).state.value.value ?? FIRST_ROLES
