import { ACTIONS, type ServiceAction } from '../../../domain/action.js'

type ResourceOf<Name> = Name extends `${infer Resource}:${string}` ? Resource : never

export type Resource = ResourceOf<ServiceAction>

/** The most needed ones come first. */
const RESOURCES: readonly Resource[] = ['link', 'profile', 'user', 'policy', 'audit']

/** The scopes offered here: every action. Tokens that make others are only for the command line. */
export const SCOPE_GROUPS = RESOURCES.map((about) => ({
  about,
  scopes: ACTIONS.filter((action) => action.startsWith(`${about}:`)),
}))
