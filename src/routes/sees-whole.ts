import type { Link } from '../domain/link.js'
import type { Caller } from '../layers/route.js'
import type { Snapshot } from '../policy/snapshot.js'

/** Whether the caller sees a link whole and in every state: if the policy and the scopes of their token allow it. */
export const seesWhole = (snapshot: Snapshot, { user, scopes }: Caller, link: Link): boolean =>
  (scopes.has('link:read') || scopes.has('link:update')) && snapshot.can(user, 'link:update', link)
