import { z } from 'zod'

import type { Action } from '../domain/action.js'
import type { FindLink } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { FindUser } from '../domain/user.js'
import { contentTag } from '../http/content-tag.js'
import { LINK_FORMS } from '../layers/4-data/link-export.js'
import type { LinkFields, Links } from '../layers/4-data/links.js'
import type { Tags } from '../layers/4-data/tags.js'
import type { Trash } from '../layers/4-data/trash.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import { noRecord, type DataRule } from '../layers/rules.js'
import { exportFile, inText } from './export-text.js'
import { LinkExportQuery, ListQuery, NewOwner, TagsView, TransferView, linkChanges, newLink } from './link-schemas.js'
import { LINK_EXAMPLE, LinkView, ManagedLinkView, publicPart, requireMatch, tagOf, wholeAt } from './link-view.js'
import { ByCode, Id, pageOf, withCount } from './schemas.js'
import { READING_LINKS, asking, linkByCode, publicLink, userById } from './shared-layers.js'
import type { OwnPlace } from './target.js'
import { requireShown, seesWhole } from './visible-link.js'

/** Time that must be left before the deadline to transfer another batch of links. */
const TRANSFER_MS = 2_000

/** Everything under /links. */
export const linkRoutes = ({
  findLink,
  findUser,
  links,
  trash,
  tags,
  place,
  hashPassword,
}: {
  readonly findLink: FindLink
  readonly findUser: FindUser
  readonly links: (action: Action | 'creation') => DataRule<Links>
  readonly trash: DataRule<Trash>
  readonly tags: DataRule<Tags>
  readonly place: OwnPlace
  /** throws `validation_failed` for a password that is too short or too long */
  readonly hashPassword: (password: string) => Promise<string>
}): readonly Route[] => {
  const { baseUrl } = place
  const whole = wholeAt(baseUrl)
  const changing = <Name extends Action>(action: Name) =>
    ({ ...asking(action, linkByCode(findLink)), data: links(action), params: ByCode }) as const

  /** The fields in stored form: a password becomes its hash. */
  const stored = async <Fields extends { readonly password?: string | null | undefined }>({
    password,
    ...fields
  }: Fields): Promise<Omit<Fields, 'password'> & Partial<Pick<LinkFields, 'password_hash'>>> =>
    password === undefined
      ? fields
      : { ...fields, password_hash: password === null ? null : await hashPassword(password) }

  return [
    route({
      ...asking('link:create', noRecord),
      method: 'post',
      path: '/links',
      status: 201,
      data: links('creation'),
      body: newLink(place),
      idempotent: true,
      handle: async ({ store, body }) => {
        const { link, replayed } = await store.create(await stored(body))
        const headers = { Location: `${baseUrl}/links/${link.code}`, ETag: tagOf(link) }
        return {
          status: 201,
          body: whole(link),
          headers: replayed ? { ...headers, 'Idempotent-Replayed': 'true' } : headers,
          unchanged: replayed,
        }
      },
      documentation: {
        id: 'createLink',
        tagged: 'write',
        location: true,
        refusals: ['code_taken'],
        example: {
          body: { target: 'https://example.com/spring', code: 'spring', title: 'Spring', tags: ['campaign'] },
          answer: LINK_EXAMPLE,
        },
        summary: 'Create a link',
        description:
          'Without `code`, an unguessable one is generated. The response’s `ETag` is for `If-Match` in a later change.',
        tag: 'links',
        response: ManagedLinkView,
      },
    }),
    route({
      ...READING_LINKS,
      path: '/links',
      data: links('link:update'),
      part: { asked: ({ state }) => state === 'deleted', action: 'link:delete', object: 'link:read', data: trash },
      query: ListQuery,
      handle: async ({ store, part, query: { count, state, sort = '-created_at', ...query } }) => {
        const filter = { ...query, state: state === 'deleted' ? undefined : state }
        const page =
          part === null
            ? await withCount(store.page({ ...filter, sort }), count, () => store.countListed(filter))
            : await withCount(part.page(query), count, () => part.countListed(query))
        return { status: 200, body: { ...page, data: page.data.map(whole) } }
      },
      documentation: {
        id: 'listLinks',
        summary: 'List links',
        description:
          'Those that the caller may change; with `state=deleted`, deleted ones that they may restore. `next_cursor` ' +
          'of a page is the `cursor` of the next one; null on the last page.',
        tag: 'links',
        response: pageOf(ManagedLinkView),
      },
    }),
    route({
      ...READING_LINKS,
      path: '/links/export',
      data: links('link:update'),
      query: LinkExportQuery,
      handle: ({ store, query: { format, ...filter }, headers: client }) =>
        exportFile(store.export(format, filter), inText(LINK_FORMS[format]), { name: 'links', format, client }),
      documentation: {
        id: 'exportLinks',
        refusals: ['upgrade_required', 'exports_busy'],
        summary: 'Export links',
        description:
          'Those that the caller may change, or those that a list with the same filters shows, as a stream. In CSV, ' +
          'a cell that a spreadsheet would take for a formula starts with an apostrophe.',
        tag: 'links',
        types: ['text/csv', 'application/x-ndjson'],
      },
    }),
    route({
      ...publicLink(findLink, requireShown),
      method: 'get',
      path: '/links/:code',
      status: 200,
      data: links('link:update'),
      handle: async ({ record, caller, snapshot, store }) => {
        // only callers who may change the link see its id and version: the public view's ETag comes from its content
        const manages = seesWhole(snapshot, caller, record)
        const link = manages ? await store.withVisits(record) : record
        const body = manages ? whole(link) : publicPart(link)
        const tag = manages ? tagOf(link) : contentTag(JSON.stringify(body))
        return { status: 200, body, headers: { ETag: tag, Vary: 'Authorization' } }
      },
      documentation: {
        id: 'getLink',
        refusals: ['link_expired'],
        summary: 'Show a link',
        description:
          'Send a token, although none is needed: callers who may change the link see all of it, in every state, and ' +
          'the `ETag` that `If-Match` takes. Everybody else sees its code, title and target, with another `ETag`.',
        tag: 'links',
        response: LinkView,
        tagged: 'read',
      },
    }),
    route({
      ...changing('link:update'),
      method: 'patch',
      path: '/links/:code',
      status: 200,
      body: linkChanges(place),
      handle: async ({ store, record, body, headers }) => {
        const version = requireMatch(record, headers.ifMatch)
        const unchanged = Object.keys(body).length === 0
        const changed = unchanged
          ? await store.withVisits(record)
          : await store.update(record, await stored(body), version)
        return { status: 200, body: whole(changed), headers: { ETag: tagOf(changed) }, unchanged }
      },
      documentation: {
        id: 'updateLink',
        tagged: 'write',
        ifMatch: 'optional',
        refusals: ['code_taken'],
        example: {
          body: { target: 'https://example.com/summer', expires_at: '2027-09-01T00:00:00Z' },
          answer: LINK_EXAMPLE,
        },
        summary: 'Change a link',
        description:
          'Absent fields stay unchanged; null clears a field. With `If-Match`, nothing is changed (412) if ' +
          'somebody else has changed the link since it was read.',
        tag: 'links',
        response: ManagedLinkView,
      },
    }),
    route({
      ...changing('link:transfer'),
      method: 'post',
      path: '/links/:code/transfer',
      status: 200,
      body: NewOwner,
      handle: async ({ store, record, body, headers }) => {
        const given = await store.transfer(record, body.owner_id, requireMatch(record, headers.ifMatch))
        return { status: 200, body: whole(given), headers: { ETag: tagOf(given) } }
      },
      documentation: {
        id: 'transferLink',
        tagged: 'write',
        ifMatch: 'optional',
        example: { body: { owner_id: '7' }, answer: LINK_EXAMPLE },
        summary: 'Transfer a link to another user',
        description: 'Its statistics, tags and history stay.',
        tag: 'links',
        response: ManagedLinkView,
      },
    }),
    route({
      // checks whether the caller may give away a link of this user
      ...asking('link:transfer', userById(findUser)),
      method: 'post',
      path: '/users/:id/links/transfer',
      status: 200,
      data: links('link:transfer'),
      params: z.object({ id: Id.describe('id of the current owner') }),
      body: NewOwner,
      handle: async ({ store, record, body, deadline }) => {
        if (body.owner_id === record.owner_id)
          throw new Refusal('validation_failed', { errors: [{ field: 'owner_id', message: 'must be another user' }] })
        // without links to give, the database would not look for the new owner
        if ((await findUser(body.owner_id)) === null)
          throw new Refusal('validation_failed', { errors: [{ field: 'owner_id', message: 'must be a user' }] })
        let transferred = 0
        let remaining = 0
        const transferSome = async (): Promise<boolean> => {
          const some = await store.transferSome(record.owner_id, body.owner_id)
          transferred += some.given
          remaining = some.remaining
          return some.given > 0 && remaining > 0
        }
        try {
          let goesOn = true
          while (goesOn) goesOn = (await transferSome()) && deadline.left() > TRANSFER_MS
        } catch (error) {
          // a refusal would not say what is already transferred; if the cause lasts, the next request is refused
          if (transferred === 0) throw error
        }
        return { status: 200, body: { transferred, remaining }, unchanged: transferred === 0 }
      },
      documentation: {
        id: 'transferLinksOfUser',
        example: { body: { owner_id: '7' }, answer: { transferred: 1_200, remaining: 0 } },
        summary: 'Transfer all links of a user',
        description:
          'They go to another user, as many as the deadline leaves time for. Repeat the request while some remain.',
        tag: 'links',
        response: TransferView,
      },
    }),
    route({
      ...READING_LINKS,
      path: '/tags',
      data: tags,
      handle: async ({ store }) => ({ status: 200, body: { data: await store.list() } }),
      documentation: {
        id: 'listTags',
        example: { answer: { data: [{ tag: 'campaign', links: 12 }] } },
        summary: 'List tags',
        description: 'Those of the caller’s own links, the most used first.',
        tag: 'links',
        response: TagsView,
      },
    }),
    route({
      ...changing('link:delete'),
      method: 'delete',
      path: '/links/:code',
      status: 204,
      handle: async ({ store, record, headers }) => {
        await store.delete(record, requireMatch(record, headers.ifMatch))
        return { status: 204 }
      },
      documentation: {
        id: 'deleteLink',
        ifMatch: 'optional',
        summary: 'Delete a link',
        description:
          'Its code is free at once. The link stays in the trash (`GET /links?state=deleted`) for ' +
          '`TRASH_DAYS` days (default: 30), and can be restored by its id.',
        tag: 'links',
      },
    }),
  ]
}
