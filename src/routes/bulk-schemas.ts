import { z } from 'zod'

import { linkFields } from './link-fields.js'
import { ManagedLinkView } from './link-view.js'
import { Code, Id, count, text } from './schemas.js'
import type { OwnPlace } from './target.js'

const MOST_ITEMS = 1_000

const OPERATIONS = ['create', 'update', 'delete', 'transfer', 'restore'] as const

export type Operation = (typeof OPERATIONS)[number]

const Result = z.object({
  index: z.int().min(0).max(MOST_ITEMS).describe('of the item, from 0 on'),
  status: z.int().min(200).max(599).describe('that the item would have got alone'),
  link: ManagedLinkView.optional(),
  problem: z
    .looseObject({ code: text(64, 'stable') })
    .optional()
    .describe('why it was not done (RFC 9457)'),
})

export const BulkQuery = z.strictObject({
  dry_run: z.enum(['true', 'false']).default('false').describe('decide and check, and change nothing'),
})

/** The items of each operation. A password is hashed for a tenth of a second: one request for each. */
export const bulkItems = (place: OwnPlace) => {
  const { target, code, password: _, ...others } = linkFields(place)
  const named = {
    link: Code,
    if_match: z.string().min(1).max(200).optional().describe('an ETag of the link, as in If-Match'),
  }
  return {
    create: z.strictObject({ target, code: code.optional(), ...others }),
    update: z.strictObject({ ...named, target: target.optional(), code: code.optional(), ...others }),
    delete: z.strictObject(named),
    transfer: z.strictObject({ ...named, owner_id: Id.describe('of the user who gets it') }),
    restore: z.strictObject({ id: Id.describe('of the deleted link'), code: code.optional() }),
  }
}

export const bulkRequest = (itemSchemas: readonly object[]) =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('the same for all items'),
    items: z
      .array(z.unknown().meta({ anyOf: itemSchemas }))
      .max(MOST_ITEMS, `must be at most ${MOST_ITEMS} items`)
      .describe('each by the rules of its operation; what is wrong with one is answered for that one'),
    atomic: z.boolean().default(false).describe('all of them, or none'),
  })

export const BulkView = z.object({
  results: z.array(Result).max(MOST_ITEMS).describe('in the order of the items'),
  done: count('items that were done, or would be'),
  refused: count('items that were not'),
})
