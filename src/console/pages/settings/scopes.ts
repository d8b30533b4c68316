import { ACTIONS } from '../../../domain/action.js'
import type { ServiceAction } from '../../../domain/action.js'

type ResourceOf<Name> = Name extends `${infer Resource}:${string}` ? Resource : never

/** What actions are about. */
export type Resource = ResourceOf<ServiceAction>

/** What most people need comes first. */
const RESOURCES: readonly Resource[] = ['link', 'profile', 'user', 'policy', 'audit']

/** What a token may be given here: every action. A token that makes others is for the command line. */
export const SCOPE_GROUPS = RESOURCES.map((about) => ({
  about,
  scopes: ACTIONS.filter((action) => action.startsWith(`${about}:`)),
}))
