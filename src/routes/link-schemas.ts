import { z } from 'zod'

import { LINK_SORTS, LISTED_STATES } from '../layers/4-data/link-page.js'
import { ExportQuery } from './export-text.js'
import { Tag, linkFields } from './link-fields.js'
import { Cursor, Id, MomentInUtc, PageLimit, WantsCount, count, endsAfter, text } from './schemas.js'
import type { OwnPlace } from './target.js'

export const NewOwner = z.strictObject({ owner_id: Id.describe('id of the new owner') })

/** What a list and an export of links are filtered by, beside their state. */
const FILTERS = {
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'text to find in the code, the target, the title or the note, in any case; letters beyond ASCII in a target ' +
        'as they are given, all small, all capital, or with a capital at the beginning of each word',
    ),
  tag: z.array(Tag).max(20).optional().describe('links that have all of these'),
  owner_id: Id.optional().describe('only links of this user'),
  created_from: MomentInUtc.optional().describe('created at this time or later; a day starts at midnight UTC'),
  created_to: MomentInUtc.optional().describe('created before this time; a day starts at midnight UTC'),
}

export const ListQuery = z
  .strictObject({
    limit: PageLimit,
    cursor: Cursor,
    count: WantsCount,
    sort: z
      .enum(LINK_SORTS)
      .optional()
      .describe('`-` reverses; `visits` starts with the most visited. Default: `-created_at`'),
    ...FILTERS,
    state: z
      .enum([...LISTED_STATES, 'deleted'])
      .optional()
      .describe('`deleted`: links in the trash, the latest deletions first; the token then also needs `link:delete`'),
  })
  .check(endsAfter('created_from', 'created_to'))
  .refine(({ state, sort }) => state !== 'deleted' || sort === undefined, {
    path: ['state'],
    message: 'deleted cannot be combined with a sort',
  })

/** An export has the links of all pages of a list. */
export const LinkExportQuery = ExportQuery.extend({
  ...FILTERS,
  state: z.enum(LISTED_STATES).optional().describe('links in this state'),
}).check(endsAfter('created_from', 'created_to'))

export const TransferView = z.object({
  transferred: count('transferred links'),
  remaining: count('links still to be transferred: repeat the request'),
})

export const TagsView = z.object({
  data: z
    .array(z.object({ tag: text(40, 'the tag'), links: count('links with this tag') }))
    .max(1_000)
    .describe('the most used first'),
})

/** The body of a creation. */
export const newLink = (place: OwnPlace) => {
  const fields = linkFields(place)
  return z.strictObject({ ...fields, code: fields.code.optional() })
}

/** The body of a change. */
export const linkChanges = (place: OwnPlace) => {
  const fields = linkFields(place)
  return z.strictObject({ ...fields, target: fields.target.optional(), code: fields.code.optional() })
}
