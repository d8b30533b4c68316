import type { z } from 'zod'

import type { FindLink, Link } from '../domain/link.js'
import { NO_INPUT } from '../layers/route.js'
import { NO_DATA, NO_OBJECT, noRecord } from '../layers/rules.js'
import type { Caller } from '../layers/caller.js'
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

/** The layers of every route that reads the policy. Rows and proposals have no owner, so no record is loaded. */
export const READING_POLICY = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:read', quota: 'caller' },
  endpoint: 'policy:read',
  object: { action: 'policy:read', load: noRecord },
  data: NO_DATA,
} as const

/** The first three layers of every route that changes the policy. */
export const WRITING_POLICY = {
  method: 'post',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'policy:write', quota: 'caller' },
  endpoint: 'policy:write',
  object: { action: 'policy:write', load: noRecord },
} as const

/** The first three layers of every route that reads the decision log. */
export const READING_LOG = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'audit:read', quota: 'caller' },
  endpoint: 'audit:read',
  object: { action: 'audit:read', load: noRecord },
} as const

/** Loads the caller's own account, a record that they own. */
const ownAccount = async (_params: unknown, caller: Promise<Caller> | Caller) => {
  const { user } = await caller
  return user && { owner_id: user.id, user }
}

/** The first three layers of every route that reads the caller's own account. */
export const READING_PROFILE = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'profile:read', quota: 'caller' },
  endpoint: 'profile:read',
  object: { action: 'profile:read', load: ownAccount },
} as const

/** The first three layers of every route that changes the caller's own account. */
export const CHANGING_PROFILE = {
  ...NO_INPUT,
  gateway: { scope: 'profile:update', quota: 'caller' },
  endpoint: 'profile:update',
  object: { action: 'profile:update', load: ownAccount },
} as const

/** The first three layers of every route that reads about all links of a caller. */
export const READING_LINKS = {
  method: 'get',
  status: 200,
  ...NO_INPUT,
  gateway: { scope: 'link:read', quota: 'caller' },
  endpoint: 'link:read',
  object: { action: 'link:read', load: noRecord },
} as const

/** Finds a link; at once, if it is cached. */
export type FindCached = (code: string) => ReturnType<FindLink> | Link | null

/** Loads the link that the path names. */
export const linkByCode =
  (find: FindCached) =>
  ({ code }: z.infer<typeof ByCode>) =>
    find(code)

/** The first three layers of every route that reads about one link, for callers who may change it. */
export const readingManagedLink = (findLink: FindLink) =>
  ({
    ...READING_LINKS,
    object: { action: 'link:read', and: 'link:update', load: linkByCode(findLink) },
    params: ByCode,
  }) as const
