import { z } from 'zod'

import { linkChanges, newLink } from './link-schemas.js'
import { ManagedLinkView } from './link-view.js'
import { Code, Id, Switch, count, text } from './schemas.js'
import type { OwnPlace } from './target.js'

const MOST_ITEMS = 1_000

const OPERATIONS = ['create', 'update', 'delete', 'transfer', 'restore'] as const

export type Operation = (typeof OPERATIONS)[number]

const Result = z.object({
  index: z.int().min(0).max(MOST_ITEMS).describe('index of the item, from 0'),
  status: z.int().min(200).max(599).describe('the status that the item would get in a request of its own'),
  link: ManagedLinkView.optional(),
  problem: z
    .looseObject({ code: text(64, 'stable') })
    .optional()
    .describe('why it failed (RFC 9457)'),
})

export const BulkQuery = z.strictObject({
  dry_run: Switch.describe('decides and checks without changing anything'),
})

/**
 * The item schema of each operation. They take no password, because hashing one takes a tenth of a second: it needs a
 * request of its own.
 */
export const bulkItems = (place: OwnPlace) => {
  const without = { password: true } as const
  const creation = newLink(place).omit(without)
  const named = {
    link: Code,
    id: Id.optional().describe('id of the link that is meant: nothing is done to another that has its code by now'),
    if_match: z.string().min(1).max(200).optional().describe('an ETag of the link, as for If-Match'),
  }
  return {
    create: creation,
    update: z.strictObject({ ...named, ...linkChanges(place).omit(without).shape }),
    delete: z.strictObject(named),
    transfer: z.strictObject({ ...named, owner_id: Id.describe('id of the new owner') }),
    restore: z.strictObject({ id: Id.describe('id of the deleted link'), code: creation.shape.code }),
  }
}

export const bulkRequest = (itemSchemas: readonly object[]) =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('the operation for all items'),
    items: z
      .array(z.unknown().meta({ anyOf: itemSchemas }))
      .max(MOST_ITEMS, `must be at most ${MOST_ITEMS} items`)
      .describe('each checked by the rules of the operation; faults are reported per item'),
    atomic: z.boolean().default(false).describe('true: all items or none'),
  })

export const BulkView = z.object({
  results: z.array(Result).max(MOST_ITEMS).describe('in the order of the items'),
  done: count('items that were done, or would be in a dry run'),
  refused: count('items that were refused'),
})
