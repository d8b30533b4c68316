import { stateOf, type Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { Caller } from '../layers/caller.js'
import type { Snapshot } from '../policy/snapshot.js'

/** Throws 404 `not_found` or 410 `link_expired` if a visitor cannot follow the link now. */
export const requireOpen = (link: Link): void => {
  const state = stateOf(link, Date.now())
  if (state === 'absent') throw new Refusal('not_found')
  if (state === 'expired') throw new Refusal('link_expired')
}

/** Whether the caller sees a link whole and in every state: if the policy and the scopes of their token allow it. */
export const seesWhole = (snapshot: Snapshot, { user, scopes }: Caller, link: Link): boolean =>
  (scopes.has('link:read') || scopes.has('link:update')) && snapshot.can(user, 'link:update', link)

/** Like `requireOpen`, but not for callers who see the link in every state. */
export const requireShown = (link: Link, caller: Caller, snapshot: Snapshot): void => {
  if (!seesWhole(snapshot, caller, link)) requireOpen(link)
}
