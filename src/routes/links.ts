import { z } from 'zod'

import type { Action } from '../domain/action.js'
import { REDIRECT_STATUSES } from '../domain/link.js'
import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { User } from '../domain/user.js'
import { contentTag } from '../http/content-tag.js'
import { LINK_FORMS } from '../layers/4-data/link-export.js'
import { LINK_SORTS, LISTED_STATES } from '../layers/4-data/link-page.js'
import type { LinkFields, Links } from '../layers/4-data/links.js'
import { route } from '../layers/compose.js'
import { NO_DATA, NO_INPUT, noRecord } from '../layers/route.js'
import type { Answer, DataRule, Route } from '../layers/route.js'
import type { Snapshot } from '../policy/snapshot.js'
import { TEXT_TYPES, exportText } from './export-text.js'
import { Instant, Tag, linkFields } from './link-fields.js'
import { requireOpen } from './redirect.js'
import { Code, Cursor, Id, PageLimit, Time, pageOf } from './schemas.js'
import type { OwnPlace } from './target.js'

const LinkView = z
  .object({
    code: Code,
    target: z.string().optional(),
    title: z.string().nullable(),
    id: Id.optional(),
    owner_id: Id.nullable().optional(),
    created_at: Time.optional(),
    updated_at: Time.optional(),
    note: z.string().nullable().optional(),
    tags: z.array(z.string()).optional(),
    status: z.literal([...REDIRECT_STATUSES]).optional(),
    active: z.boolean().optional(),
    starts_at: Time.nullable().optional(),
    expires_at: Time.nullable().optional(),
    max_visits: z.number().nullable().optional(),
    has_password: z.boolean().optional(),
    forward_query: z.boolean().optional(),
  })
  .meta({
    id: 'Link',
    description:
      'Callers who may not change the link only see its code, title and target, and no target where a password guards it.',
  })

const ByCode = z.object({ code: Code })

/** What a caller who may change the link sees. */
const whole = (link: Link) => {
  const { version: _, used: __, ...shown } = link
  return shown
}

/** What everybody else sees. */
const publicPart = ({ code, target, title, has_password: guarded }: Link) =>
  guarded ? { code, title } : { code, target, title }

const tagOf = (link: Link): string => `"${link.id}-${link.version}"`

const show = (snapshot: Snapshot, user: User | null, link: Link): Pick<Answer, 'body' | 'headers'> => {
  const manages = snapshot.can(user, 'link:update', link)
  if (!manages) requireOpen(link)
  const body = manages ? whole(link) : publicPart(link)
  // id and version are not for everybody: the tag of the public view is made of what it shows
  const tag = manages ? tagOf(link) : contentTag(JSON.stringify(body))
  return { body, headers: { ETag: tag, Vary: 'Authorization' } }
}

/**
 * RFC 9110 §13.1.1: If-Match is checked after authorization and before the change. Returns the version that the commit
 * must still find; undefined: any.
 */
const requireMatch = (link: Link, ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined) return undefined
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(tagOf(link)) && ifMatch.trim() !== '*')
    throw new Refusal('precondition_failed', { detail: 'The link has another version than If-Match names.' })
  return link.version
}

/** Everything under /links. */
export const linkRoutes = ({
  findLink,
  links,
  place,
  hashPassword,
}: {
  readonly findLink: (code: string) => Promise<Link | null>
  readonly links: (action: Action | 'creation') => DataRule<Links>
  readonly place: OwnPlace
  /** throws `validation_failed` for a password that is too short or too long */
  readonly hashPassword: (password: string) => Promise<string>
}): readonly Route[] => {
  const { baseUrl } = place
  const linkByCode = ({ code }: z.infer<typeof ByCode>) => findLink(code)
  const { target, code, ...others } = linkFields(place)
  const NewLink = z.strictObject({ target, code: code.optional(), ...others })
  const LinkChanges = z.strictObject({ target: target.optional(), code: code.optional(), ...others })

  /** The fields as they are stored: a password as its hash. */
  const stored = async <Fields extends { readonly password?: string | null | undefined }>({
    password,
    ...fields
  }: Fields): Promise<Omit<Fields, 'password'> & Partial<Pick<LinkFields, 'password_hash'>>> =>
    password === undefined
      ? fields
      : { ...fields, password_hash: password === null ? null : await hashPassword(password) }

  return [
    route({
      method: 'post',
      path: '/links',
      status: 201,
      ...NO_INPUT,
      gateway: { scope: 'link:create', quota: 'caller' },
      endpoint: 'link:create',
      object: { action: 'link:create', load: noRecord },
      data: links('creation'),
      body: NewLink,
      idempotent: true,
      handle: async ({ store, body }) => {
        const { link, replayed } = await store.create(await stored(body))
        const headers = { Location: `${baseUrl}/links/${link.code}`, ETag: tagOf(link) }
        return {
          status: 201,
          body: whole(link),
          headers: replayed ? { ...headers, 'Idempotent-Replayed': 'true' } : headers,
        }
      },
      documentation: { summary: 'Create a link', tag: 'links', response: LinkView, refusals: [409] },
    }),
    route({
      method: 'get',
      path: '/links',
      status: 200,
      ...NO_INPUT,
      gateway: { scope: 'link:read', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: noRecord },
      data: links('link:update'),
      query: z.strictObject({
        limit: PageLimit,
        cursor: Cursor,
        sort: z.enum(LINK_SORTS).default('-created_at'),
        q: z.string().min(1).max(200).optional(),
        tag: z.array(Tag).max(20).optional(),
        state: z.enum(LISTED_STATES).optional(),
        owner_id: Id.optional(),
        created_from: Instant.optional(),
        created_to: Instant.optional(),
      }),
      handle: async ({ store, query }) => {
        const page = await store.page(query)
        return { status: 200, body: { data: page.data.map(whole), next_cursor: page.next_cursor } }
      },
      documentation: { summary: 'List the links that the caller may change', tag: 'links', response: pageOf(LinkView) },
    }),
    route({
      method: 'get',
      path: '/links/export',
      status: 200,
      ...NO_INPUT,
      gateway: { scope: 'link:read', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: noRecord },
      data: links('link:update'),
      query: z.strictObject({ format: z.enum(['csv', 'ndjson']).default('csv') }),
      handle: async ({ store, query: { format }, headers }) => ({
        status: 200,
        body: await exportText(
          store.export(format),
          { head: LINK_FORMS[format].head, lines: (lines) => lines },
          headers,
        ),
        type: TEXT_TYPES[format],
        headers: { 'Content-Disposition': `attachment; filename="links.${format}"` },
      }),
      documentation: {
        summary:
          'Export the links that the caller may change, as a stream. In CSV, a cell that a spreadsheet would take ' +
          'for a formula has an apostrophe before it',
        tag: 'links',
        types: ['text/csv', 'application/x-ndjson'],
        refusals: [426],
      },
    }),
    route({
      method: 'get',
      path: '/links/:code',
      status: 200,
      ...NO_INPUT,
      gateway: { scope: 'public', quota: 'caller' },
      endpoint: 'link:read',
      object: { action: 'link:read', load: linkByCode },
      data: NO_DATA,
      params: ByCode,
      handle: ({ record, caller, snapshot }) => ({ status: 200, ...show(snapshot, caller.user, record) }),
      documentation: { summary: 'Show a link', tag: 'links', response: LinkView, tagged: true },
    }),
    route({
      method: 'patch',
      path: '/links/:code',
      status: 200,
      ...NO_INPUT,
      gateway: { scope: 'link:update', quota: 'caller' },
      endpoint: 'link:update',
      object: { action: 'link:update', load: linkByCode },
      data: links('link:update'),
      params: ByCode,
      body: LinkChanges,
      handle: async ({ store, record, body, headers }) => {
        const version = requireMatch(record, headers.ifMatch)
        const unchanged = Object.keys(body).length === 0
        const changed = unchanged ? record : await store.update(record, await stored(body), version)
        return { status: 200, body: whole(changed), headers: { ETag: tagOf(changed) }, unchanged }
      },
      documentation: { summary: 'Change a link', tag: 'links', response: LinkView, refusals: [409, 412] },
    }),
    route({
      method: 'delete',
      path: '/links/:code',
      status: 204,
      ...NO_INPUT,
      gateway: { scope: 'link:delete', quota: 'caller' },
      endpoint: 'link:delete',
      object: { action: 'link:delete', load: linkByCode },
      data: links('link:delete'),
      params: ByCode,
      handle: async ({ store, record, headers }) => {
        await store.delete(record, requireMatch(record, headers.ifMatch))
        return { status: 204 }
      },
      documentation: { summary: 'Delete a link', tag: 'links', refusals: [409, 412] },
    }),
  ]
}
