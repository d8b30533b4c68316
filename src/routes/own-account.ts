import type { Caller } from '../layers/route.js'

/** Loads the caller's own account, a record that they own. */
export const ownAccount = async (_params: unknown, caller: Promise<Caller> | Caller) => {
  const { user } = await caller
  return user && { owner_id: user.id, user }
}
