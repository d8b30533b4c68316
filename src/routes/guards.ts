import type { Action } from '../domain/action.js'
import type { Owned } from '../domain/link.js'
import { NO_DATA, NO_INPUT, NO_OBJECT } from '../layers/route.js'
import type { Caller, GatewayRule, ObjectRule } from '../layers/route.js'

/**
 * The first three layers of a route that performs one action: the token's scope, the role's endpoint row, and
 * `can(user, action, record)` on the record that `load` finds.
 */
export const guarded = <Params, Record extends Owned>(
  action: Action,
  load: ObjectRule<Params, Record>['load'],
  quota: GatewayRule['quota'] = 'caller',
) => ({
  ...NO_INPUT,
  status: 200,
  gateway: { scope: action, quota },
  endpoint: action,
  object: { action, load },
})

/** The layers of a public route that no policy decides: health, keys, signing in. */
export const unguarded = (quota: GatewayRule['quota'] = 'none') => ({
  ...NO_INPUT,
  status: 200,
  gateway: { scope: 'public' as const, quota },
  endpoint: 'none' as const,
  object: NO_OBJECT,
  data: NO_DATA,
})

/** Loads the caller's own account: a record that they own. */
export const own = async (_params: unknown, caller: Promise<Caller> | Caller) => {
  const { user } = await caller
  return user && { owner_id: user.id, user }
}
