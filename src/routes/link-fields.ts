import { z } from 'zod'

import { REDIRECT_STATUSES } from '../domain/link.js'
import { isOneLine } from '../domain/one-line.js'
import { isReservedCode } from './reserved-codes.js'
import { Code, Instant } from './schemas.js'
import { targetRule } from './target.js'
import type { OwnPlace } from './target.js'

/** A text, or null without one: an empty text is none. */
const textOrNull = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must be at most ${most} characters`)
    .transform((text) => (text === '' ? null : text))
    .nullable()

const MAX_TAGS = 20
const TAG = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u

export const Tag = z
  .string()
  .trim()
  .normalize('NFC')
  .regex(TAG, 'must be 1 to 40 letters, digits, spaces, dots, _ and -, and begin with a letter or digit')
  .meta({ maxLength: 40, examples: ['campaign'] })

/** In the order in which they were given, each once. */
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
 * The fields of a link that a request may set, each with its rule; null clears one. A creation, a change, a bulk
 * request and an import all name theirs from this list (R7), so a field has one meaning everywhere.
 */
export const linkFields = (place: OwnPlace) => ({
  target: targetRule(place),
  code: Code.refine((code) => !isReservedCode(code), 'is reserved for the service').describe(
    'what stands after the host in the short URL; one is made where none is given',
  ),
  title: textOrNull(200)
    .refine((text) => text === null || isOneLine(text), 'must be one line')
    .optional()
    .describe('one line; null: none'),
  note: textOrNull(2_000).optional().describe('for those who may change the link; null: none'),
  tags: Tags.optional().describe('each counts once; null: none'),
  status: z
    .literal([...REDIRECT_STATUSES], STATUS)
    .nullable()
    .transform((status) => status ?? 302)
    .optional()
    .describe('of the redirect; 302 unless set'),
  active: z.boolean().optional().describe('false: visitors get 404; true unless set'),
  starts_at: Instant.nullable().optional().describe('visitors before that get 404; null: at once'),
  expires_at: Instant.nullable().optional().describe('visitors from then on get 410; null: never'),
  max_visits: z
    .int()
    .min(1, 'must be at least 1')
    .max(MOST_VISITS, `must be at most ${MOST_VISITS}`)
    .nullable()
    .optional()
    .describe('redirects that are given out at most, exactly; null: any number'),
  /** what visitors have to type; stored as a hash alone */
  password: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(200, 'must have at most 200 characters')
    .nullable()
    .optional()
    .describe('visitors have to type it; null: none. It is never answered'),
  forward_query: z
    .boolean()
    .optional()
    .describe('whether a visitor’s parameters are added to the target’s; false unless set'),
})
