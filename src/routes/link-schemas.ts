import { z } from 'zod'

import { LINK_SORTS, LISTED_STATES } from '../layers/4-data/link-page.js'
import { Tag, linkFields } from './link-fields.js'
import { Cursor, Id, Instant, PageLimit, WantsCount, count, text } from './schemas.js'
import type { OwnPlace } from './target.js'

export const NewOwner = z.strictObject({ owner_id: Id.describe('of the user who gets it') })

export const ListQuery = z
  .strictObject({
    limit: PageLimit,
    cursor: Cursor,
    count: WantsCount,
    sort: z
      .enum(LINK_SORTS)
      .optional()
      .describe('`-` reverses; `visits` begins with the most visited. `-created_at` unless set'),
    q: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('a text in the code, the target, the title or the note, in any case'),
    tag: z.array(Tag).max(20).optional().describe('links that have all of these'),
    state: z
      .enum([...LISTED_STATES, 'deleted'])
      .optional()
      .describe('`deleted`: what is in the trash, for which the token needs `link:delete` as well'),
    owner_id: Id.optional().describe('of this user'),
    created_from: Instant.optional().describe('made then or later'),
    created_to: Instant.optional().describe('made before'),
  })
  .refine(
    ({ state, sort, q, tag, owner_id: owner, created_from: from, created_to: to }) =>
      state !== 'deleted' || [sort, q, tag, owner, from, to].every((each) => each === undefined),
    { path: ['state'], message: 'takes neither a sort nor another filter where it is deleted' },
  )

export const TransferView = z.object({
  transferred: count('links that were given away'),
  remaining: count('links that are left: repeat the request'),
})

export const TagsView = z.object({
  data: z
    .array(z.object({ tag: text(40, 'as links have it'), links: count('that have it') }))
    .max(1_000)
    .describe('those of the most links first'),
})

/** What a creation takes. */
export const newLink = (place: OwnPlace) => {
  const { target, code, ...others } = linkFields(place)
  return z.strictObject({ target, code: code.optional(), ...others })
}

/** What a change takes. */
export const linkChanges = (place: OwnPlace) => {
  const { target, code, ...others } = linkFields(place)
  return z.strictObject({ target: target.optional(), code: code.optional(), ...others })
}
