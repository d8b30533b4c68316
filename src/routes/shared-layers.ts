import type { z } from 'zod'

import type { Action } from '../domain/action.js'
import type { FindLink, Link } from '../domain/link.js'
import type { FindUser } from '../domain/user.js'
import { NO_INPUT } from '../layers/route.js'
import { NO_DATA, NO_OBJECT, noRecord } from '../layers/rules.js'
import type { Caller } from '../layers/caller.js'
import type { Snapshot } from '../policy/snapshot.js'
import { ByCode } from './schemas.js'

/** The last three layers of a route about which the policy does not decide. */
export const WITHOUT_POLICY = { ...NO_INPUT, endpoint: 'none', object: NO_OBJECT, data: NO_DATA } as const

/** The layers of a public GET without a record: pages, health, keys, descriptions. */
export const PUBLIC_GET = {
  method: 'get',
  status: 200,
  ...WITHOUT_POLICY,
  gateway: { scope: 'public', quota: 'caller' },
} as const

/** What each public POST about an account declares: it may be a guess, so it counts against the quota of sign-ins. */
export const SIGNING_IN = {
  method: 'post',
  status: 200,
  ...WITHOUT_POLICY,
  gateway: { scope: 'public', quota: 'sign_in' },
} as const

/** The first three layers of a route that asks for one action: its scope, its endpoint row, `can()` for the record. */
export const asking = <Name extends Action, Load>(action: Name, load: Load) =>
  ({
    ...NO_INPUT,
    gateway: { scope: action, quota: 'caller' },
    endpoint: action,
    object: { action, load },
  }) as const

/** The first three layers of a GET route that asks for one action. */
export const reading = <Name extends Action, Load>(action: Name, load: Load) =>
  ({ method: 'get', status: 200, ...asking(action, load) }) as const

/** Loads the caller's own account, a record that they own. */
const ownAccount = async (_params: unknown, caller: Promise<Caller> | Caller) => {
  const { user } = await caller
  return user && { owner_id: user.id, user }
}

/** Loads the user whom the path names, a record that they own. */
export const userById =
  (find: FindUser) =>
  async ({ id }: { readonly id: string }) => {
    const user = await find(id)
    return user && { owner_id: user.id, user }
  }

/** The layers of every route that reads the policy. Rows and proposals have no owner, so no record is loaded. */
export const READING_POLICY = { ...reading('policy:read', noRecord), data: NO_DATA } as const

/** The first three layers of every route that changes the policy. */
export const WRITING_POLICY = { method: 'post', status: 200, ...asking('policy:write', noRecord) } as const

/** The first three layers of every route that reads the decision log. */
export const READING_LOG = reading('audit:read', noRecord)

/** The first three layers of every route that reads the caller's own account. */
export const READING_PROFILE = reading('profile:read', ownAccount)

/** The first three layers of every route that changes the caller's own account. */
export const CHANGING_PROFILE = asking('profile:update', ownAccount)

/** The first three layers of every route that reads about all links of a caller. */
export const READING_LINKS = reading('link:read', noRecord)

/** Finds a link; at once, if it is cached. */
export type FindCached = (code: string) => ReturnType<FindLink> | Link | null

/** Loads the link that the path names. */
export const linkByCode =
  (find: FindCached) =>
  ({ code }: z.infer<typeof ByCode>) =>
    find(code)

/** The first three layers of every public route about one link. */
export const publicLink = (
  find: FindCached,
  requireVisible: (link: Link, caller: Caller, snapshot: Snapshot) => void,
) =>
  ({
    ...NO_INPUT,
    gateway: { scope: 'public', quota: 'caller' },
    endpoint: 'link:read',
    object: { action: 'link:read', load: linkByCode(find), requireVisible },
    params: ByCode,
  }) as const

/** The first three layers of every route that reads about one link, for callers who may change it. */
export const readingManagedLink = (findLink: FindLink) =>
  ({
    ...READING_LINKS,
    object: { action: 'link:read', and: 'link:update', load: linkByCode(findLink) },
    params: ByCode,
  }) as const
