import { z } from 'zod'

import type { Link } from '../domain/link.js'
import { Refusal } from '../domain/refusal.js'
import type { Trash } from '../layers/4-data/trash.js'
import { route } from '../layers/compose.js'
import type { Route } from '../layers/route.js'
import type { DataRule } from '../layers/rules.js'
import { linkFields } from './link-fields.js'
import { LINK_EXAMPLE, ManagedLinkView, tagOf, wholeAt } from './link-view.js'
import { Id } from './schemas.js'
import { asking } from './shared-layers.js'
import type { OwnPlace } from './target.js'

/** The path takes an id, and people try the code that they know. */
const notInTrash = (): Refusal =>
  new Refusal('not_found', {
    detail: 'Restore a deleted link by its id; GET /links?state=deleted lists those in the trash.',
  })

/** Restores a deleted link, for callers who may delete it. It is named by its id, because its code is free by now. */
export const restoreLinkRoute = ({
  findDeletedLink,
  trash,
  place,
}: {
  readonly findDeletedLink: (id: string) => Promise<Link | null>
  readonly trash: DataRule<Trash>
  readonly place: OwnPlace
}): Route =>
  route({
    ...asking('link:delete', ({ id }: { readonly id: string }) => findDeletedLink(id)),
    method: 'post',
    path: '/links/:id/restore',
    status: 200,
    data: trash,
    params: z.object({ id: Id.describe('id of the deleted link') }),
    body: z.strictObject({ code: linkFields(place).code.optional() }).optional(),
    shape: (refusal) => (refusal.code === 'not_found' ? notInTrash() : refusal),
    handle: async ({ store, record, body }) => {
      const link = await store.restore(record, body?.code)
      return {
        status: 200,
        body: wholeAt(place.baseUrl)(link),
        headers: { Location: `${place.baseUrl}/links/${link.code}`, ETag: tagOf(link) },
      }
    },
    documentation: {
      id: 'restoreLink',
      tagged: 'write',
      location: true,
      refusals: ['code_taken'],
      example: { body: { code: 'spring-again' }, answer: LINK_EXAMPLE },
      summary: 'Restore a deleted link',
      description: 'Under its code, or under another one.',
      tag: 'links',
      response: ManagedLinkView,
    },
  })
