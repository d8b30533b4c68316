import { z } from 'zod'

import { REDIRECT_STATUSES } from '../domain/link.js'
import { isOneLine } from '../domain/text.js'
import { isReservedCode } from './reserved-codes.js'
import { Code, Instant } from './schemas.js'
import { targetRule, type OwnPlace } from './target.js'

/** A text; an empty one becomes null. */
const textOrNull = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must be at most ${most} characters`)
    .transform((text) => (text === '' ? null : text))
    .nullable()

/** null: the default */
const flag = (byDefault: boolean) =>
  z
    .boolean()
    .nullable()
    .transform((value) => value ?? byDefault)
    .optional()

const MAX_TAGS = 20
const TAG = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u

export const Tag = z
  .string()
  .trim()
  .normalize('NFC')
  .regex(TAG, 'must be 1 to 40 letters, digits, spaces, dots, _ and -, and begin with a letter or digit')
  .meta({ maxLength: 40, examples: ['campaign'] })

/** Unique tags, in the order in which they were given. */
const Tags = z
  .array(Tag)
  .meta({ maxItems: MAX_TAGS })
  .transform((tags) => [...new Set(tags)])
  .refine((tags) => tags.length <= MAX_TAGS, `must be at most ${MAX_TAGS} tags`)
  .nullable()
  .transform((tags) => tags ?? [])

const STATUS = `must be ${REDIRECT_STATUSES.slice(0, -1).join(', ')} or ${REDIRECT_STATUSES.at(-1)}`
export const MOST_VISITS = 1_000_000_000

/**
 * The fields of a link that a request may set, each with its rule; null clears one. Creations, changes, bulk requests
 * and imports all pick theirs from this list (R7), so a field means the same everywhere.
 */
export const linkFields = (place: OwnPlace) => ({
  target: targetRule(place),
  code: Code.refine((code) => !isReservedCode(code), 'is reserved for the service').describe(
    'the part after the host in the short URL; generated if it is not given',
  ),
  title: textOrNull(200)
    .refine((text) => text === null || isOneLine(text), 'must be one line')
    .optional()
    .describe('one line; null: none'),
  note: textOrNull(2_000).optional().describe('for those who may change the link; null: none'),
  tags: Tags.optional().describe('duplicates are dropped; null: none'),
  status: z
    .literal([...REDIRECT_STATUSES], STATUS)
    .nullable()
    .transform((status) => status ?? 302)
    .optional()
    .describe('status of the redirect; default: 302'),
  active: flag(true).describe('false: visitors get 404; default: true'),
  starts_at: Instant.nullable().optional().describe('before this time, visitors get 404; null: starts at once'),
  expires_at: Instant.nullable().optional().describe('from this time on, visitors get 410; null: never'),
  max_visits: z
    .number()
    // a number beyond all integers breaks one rule, not two
    .min(1, { error: 'must be at least 1', abort: true })
    .max(MOST_VISITS, { error: `must be at most ${MOST_VISITS}`, abort: true })
    .int()
    .nullable()
    .optional()
    .describe('the exact limit of redirects; null: no limit'),
  /** what visitors must enter; stored only as a hash */
  password: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(200, 'must have at most 200 characters')
    .refine(isOneLine, 'must be one line')
    .nullable()
    .optional()
    .describe('visitors must enter it; null: none. Never returned'),
  forward_query: flag(false).describe('whether a visitor’s parameters are added to the target’s; default: false'),
})
