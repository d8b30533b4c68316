import { z } from 'zod'

import { REDIRECT_STATUSES } from '../domain/link.js'
import { isReservedCode } from './reserved-codes.js'
import { Code } from './schemas.js'
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

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const oneLine = (text: string | null) => text === null || !CONTROL.test(text)

const MAX_TAGS = 20
const TAG = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u

export const Tag = z
  .string()
  .trim()
  .normalize('NFC')
  .regex(TAG, 'must be 1 to 40 letters, digits, spaces, dots, _ and -, and begin with a letter or digit')

/** In the order in which they were given, each once. */
const Tags = z
  .array(Tag)
  .transform((tags) => [...new Set(tags)])
  .refine((tags) => tags.length <= MAX_TAGS, `must be at most ${MAX_TAGS} tags`)
  .nullable()
  .transform((tags) => tags ?? [])

/** RFC 3339, from 1970 to 9999, cut to the millisecond. */
export const Instant = z.iso
  .datetime({ offset: true, error: 'must be a time as in RFC 3339, such as 2027-01-31T12:00:00Z' })
  .refine((text) => {
    const year = new Date(text).getUTCFullYear()
    return year >= 1970 && year <= 9999
  }, 'must be a time from 1970 to 9999')
  .transform((text) => new Date(text).toISOString())

const STATUS = `must be ${REDIRECT_STATUSES.slice(0, -1).join(', ')} or ${REDIRECT_STATUSES.at(-1)}`
const MOST_VISITS = 1_000_000_000

/**
 * The fields of a link that a request may set, each with its rule; null clears one. A creation, a change, a bulk
 * request and an import all name theirs from this list (R7), so a field has one meaning everywhere.
 */
export const linkFields = (place: OwnPlace) => ({
  target: targetRule(place),
  code: Code.refine((code) => !isReservedCode(code), 'is reserved for the service'),
  title: textOrNull(200).refine(oneLine, 'must be one line').optional(),
  note: textOrNull(2_000).optional(),
  tags: Tags.optional(),
  status: z
    .literal([...REDIRECT_STATUSES], STATUS)
    .nullable()
    .transform((status) => status ?? 302)
    .optional(),
  active: z.boolean().optional(),
  starts_at: Instant.nullable().optional(),
  expires_at: Instant.nullable().optional(),
  max_visits: z
    .int()
    .min(1, 'must be at least 1')
    .max(MOST_VISITS, `must be at most ${MOST_VISITS}`)
    .nullable()
    .optional(),
  /** what visitors have to type; stored as a hash alone */
  password: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(200, 'must have at most 200 characters')
    .nullable()
    .optional(),
  forward_query: z.boolean().optional(),
})
