import { z } from 'zod'

import type { Link, PresumedLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import { route } from '../layers/compose.js'
import { LINK_FORMS } from '../layers/4-data/link-export.js'
import { LINK_SORTS } from '../layers/4-data/links.js'
import type { Links } from '../layers/4-data/links.js'
import { Unproven } from '../layers/4-data/unproven.js'
import type { Answer, DataRule, Route } from '../layers/route.js'
import type { Action } from '../domain/action.js'
import type { Snapshot } from '../policy/snapshot.js'
import { TEXT_TYPES, exportText } from './export-text.js'
import { isReservedCode } from './reserved-codes.js'
import { Code, Cursor, Id, PageLimit, Time } from './schemas.js'
import { targetRule } from './target.js'

export interface LinkParts {
  readonly findLink: (code: string) => Promise<Link | null>
  readonly links: (action: Action | 'creation') => DataRule<Links>
  /** the public origin: every URL that the service prints comes from it */
  readonly baseUrl: string
}

export const LinkView = z
  .object({
    code: Code,
    target: z.string(),
    id: Id.optional(),
    owner_id: Id.nullable().optional(),
    created_at: Time.optional(),
    updated_at: Time.optional(),
  })
  .meta({ id: 'Link', description: 'Callers who may not change the link see its code and target alone.' })

const ByCode = z.object({ code: Code })

/** What a link's manager sees. */
const whole = ({ id, code, target, owner_id, created_at, updated_at }: Link) => ({
  id,
  code,
  target,
  owner_id,
  created_at,
  updated_at,
})

const tagOf = (link: Link): string => `"${link.id}-${link.version}"`

/**
 * Owners and admins see all of a link, in the policy's own terms: those who may change it. Everybody else, code and
 * target.
 */
const show = (snapshot: Snapshot, user: User | null, link: Link): Pick<Answer, 'body' | 'headers'> => {
  const manages = snapshot.decide(user, 'link:update', link).effect === 'allow'
  return manages
    ? { body: whole(link), headers: { ETag: tagOf(link), Vary: 'Authorization' } }
    : {
        body: { code: link.code, target: link.target },
        headers: { ETag: `"${link.id}-${link.version}-public"`, Vary: 'Authorization' },
      }
}

/** The link as it is stored. Throws Unproven where it is only presumed. */
const stored = (link: Link | PresumedLink): Link => {
  if ('presumed' in link) throw new Unproven()
  return link
}

/** RFC 9110 §13.1.1: after authorization, and before anything is changed. */
const requireMatch = (link: Link | PresumedLink, ifMatch: string | undefined): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(tagOf(stored(link))))
    throw new Refusal('precondition_failed', { detail: 'The link is no longer the version that If-Match names.' })
}

/** Everything under /links, and the redirect. */
export const linkRoutes = ({ findLink, links, baseUrl }: LinkParts): readonly Route[] => {
  const linkByCode = ({ code }: { readonly code: string }) => findLink(code)
  const ownLink = ({ code }: { readonly code: string }, owner: User): Link | PresumedLink => ({
    code,
    owner_id: owner.id,
    presumed: true,
  })
  const Target = targetRule(baseUrl)
  const FreeCode = Code.refine((code) => !isReservedCode(code), 'is a word that the service uses itself')

  return [
    route({
      method: 'post',
      path: '/links',
      status: 201,
      gateway: { scope: 'link:create', quota: 'caller' },
      endpoint: 'link:create',
      object: { action: 'link:create', load: () => null, without: true },
      data: links('creation'),
      body: z.strictObject({ target: Target, code: FreeCode.optional() }),
      repeatable: true,
      presumes: true,
      handle: async ({ store, body }) => {
        const link = await store.create(body)
        return {
          status: 201,
          body: whole(link),
          headers: { Location: `${baseUrl}/links/${link.code}`, ETag: tagOf(link) },
        }
      },
      documentation: { summary: 'Make a link', tag: 'links', response: LinkView, refusals: [409] },
    }),

    route({
      method: 'get',
      path: '/links',
      status: 200,
      gateway: { scope: 'link:read', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: () => null, without: true },
      data: links('link:update'),
      query: z.strictObject({
        limit: PageLimit,
        cursor: Cursor,
        sort: z.enum(LINK_SORTS).default('-created_at'),
        q: z.string().min(1).max(200).optional(),
        owner_id: Id.optional(),
      }),
      handle: async ({ store, query }) => {
        const page = await store.page(query)
        return { status: 200, body: { data: page.data.map(whole), next_cursor: page.next_cursor } }
      },
      documentation: {
        summary: 'List the links that the caller may manage',
        tag: 'links',
        response: z.object({ data: z.array(LinkView), next_cursor: z.string().nullable() }),
      },
    }),

    route({
      method: 'get',
      path: '/links/export',
      status: 200,
      gateway: { scope: 'link:read', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: () => null, without: true },
      data: links('link:update'),
      query: z.strictObject({ format: z.enum(['csv', 'ndjson']).default('csv') }),
      handle: async ({ store, query: { format } }) => ({
        status: 200,
        body: await exportText(store.export(format), { head: LINK_FORMS[format].head, lines: (lines) => lines }),
        type: TEXT_TYPES[format],
        headers: { 'Content-Disposition': `attachment; filename="links.${format}"` },
      }),
      documentation: {
        summary: 'Export the links that the caller may manage, as a stream',
        tag: 'links',
        types: ['text/csv', 'application/x-ndjson'],
      },
    }),

    route({
      method: 'get',
      path: '/links/:code',
      status: 200,
      gateway: { scope: 'public', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: linkByCode },
      data: 'none',
      params: ByCode,
      handle: ({ record, caller, snapshot }) => ({ status: 200, ...show(snapshot, caller.user, record) }),
      documentation: { summary: 'Show a link', tag: 'links', response: LinkView, tagged: true },
    }),

    route({
      method: 'patch',
      path: '/links/:code',
      status: 200,
      gateway: { scope: 'link:update', quota: 'caller' },
      endpoint: 'link:update',
      object: { action: 'link:update', load: linkByCode, presume: ownLink },
      data: links('link:update'),
      presumes: true,
      params: ByCode,
      body: z.strictObject({ target: Target.optional(), code: FreeCode.optional() }),
      handle: async ({ store, record, body, headers }) => {
        requireMatch(record, headers.ifMatch)
        const unchanged = Object.keys(body).length === 0
        const changed = unchanged
          ? stored(record)
          : await store.update(record, body, headers.ifMatch === undefined ? undefined : stored(record).version)
        return { status: 200, body: whole(changed), headers: { ETag: tagOf(changed) }, unchanged }
      },
      documentation: { summary: 'Change a link', tag: 'links', response: LinkView, refusals: [409, 412] },
    }),

    route({
      method: 'delete',
      path: '/links/:code',
      status: 204,
      gateway: { scope: 'link:delete', quota: 'caller' },
      endpoint: 'link:delete',
      object: { action: 'link:delete', load: linkByCode, presume: ownLink },
      data: links('link:delete'),
      presumes: true,
      params: ByCode,
      handle: async ({ store, record, headers }) => {
        requireMatch(record, headers.ifMatch)
        await store.delete(record, headers.ifMatch === undefined ? undefined : stored(record).version)
        return { status: 204 }
      },
      documentation: { summary: 'Delete a link', tag: 'links', refusals: [409, 412] },
    }),
  ]
}

/** The public redirect; it stands last in the table, since it answers every path of one segment. */
export const redirectRoute = ({
  findLink,
}: {
  readonly findLink: (code: string) => Promise<Link | null> | Link | null
}): Route =>
  route({
    method: 'get',
    path: '/:code',
    status: 302,
    gateway: { scope: 'public', quota: 'caller' },
    endpoint: 'link:read',
    object: { action: 'link:read', load: ({ code }) => findLink(code) },
    data: 'none',
    params: ByCode,
    handle: ({ record }) => ({ status: 302, headers: { Location: record.target, 'Cache-Control': 'no-cache' } }),
    documentation: { summary: 'Follow a link', tag: 'redirect' },
  })
