import { z } from 'zod'

import { isId } from '../domain/id.js'
import { Instant, linkFields } from '../routes/link-fields.js'
import type { OwnPlace } from '../routes/target.js'
import type { Words } from './words.js'

/** A link as an import makes it. */
export interface ImportedLink {
  /** the id that it had; null: any */
  readonly id: string | null
  /** null: an unguessable one is made */
  readonly code: string | null
  readonly target: string
  /** whose it was; null: nobody's */
  readonly owner_id: string | null
  /** null: now */
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly title: string | null
  readonly note: string | null
  readonly tags: readonly string[]
  readonly status: number
  readonly active: boolean
  readonly starts_at: string | null
  readonly expires_at: string | null
  readonly max_visits: number | null
  readonly forward_query: boolean
  /** a new password; null: none */
  readonly password: string | null
  /** true where it had a password that the file does not hold */
  readonly lacksPassword: boolean
}

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

const NEWEST_KEPT = 10n ** 15n

/** An id that a link may keep: up to 10^15, so that no file uses up all ids (migrations/functions/import_links.sql). */
export const isKeptId = (text: string): boolean => isId(text) && BigInt(text) <= NEWEST_KEPT

/**
 * The rule for a link of any format: what POST /links asks of each field, and of the times that only an import sets.
 * Pure, but for the clock: nothing was made in the future.
 */
export const linkReader = (place: OwnPlace): ((words: Words) => Read<ImportedLink>) => {
  const { code, ...fields } = linkFields(place)
  const Past = Instant.refine((text) => Date.parse(text) <= Date.now() + CLOCKS_DIFFER_MS, 'must not be in the future')
  const Link = z.object({
    ...fields,
    code: code.optional(),
    id: z.string().refine(isId, 'must be a positive integer').optional(),
    owner_id: z.string().refine(isId, 'must be the id of a user').optional(),
    created_at: Past.optional(),
    updated_at: Past.optional(),
  })
  return (words) => {
    const { has_password: guarded, ...texts } = words
    const unreadable = Object.entries(texts).find(([name, text]) => name !== 'title' && !isStorable(text))
    if (unreadable) return refused(`${unreadable[0]} holds a character that cannot be stored`)
    if (!words.target) return refused('target is missing')
    const parsed = Link.safeParse(typed(texts))
    if (!parsed.success)
      return refused(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${ruleOf(issue)}`).join('; '))
    const link = parsed.data
    if (link.starts_at && link.expires_at && link.starts_at >= link.expires_at)
      return refused('expires_at must be after starts_at')
    const isGuarded = guarded === undefined ? false : booleanOf(guarded)
    if (typeof isGuarded === 'string') return refused(`has_password ${BOOLEAN_RULE}`)
    return {
      ok: true,
      value: {
        id: link.id !== undefined && isKeptId(link.id) ? link.id : null,
        code: link.code ?? null,
        target: link.target,
        owner_id: link.owner_id ?? null,
        created_at: link.created_at ?? null,
        updated_at: link.updated_at ?? link.created_at ?? null,
        title: link.title ?? null,
        note: link.note ?? null,
        tags: link.tags ?? [],
        status: link.status ?? 302,
        active: link.active ?? true,
        starts_at: link.starts_at ?? null,
        expires_at: link.expires_at ?? null,
        max_visits: link.max_visits ?? null,
        forward_query: link.forward_query ?? false,
        password: link.password ?? null,
        lacksPassword: isGuarded === true && !link.password,
      },
    }
  }
}

/** Clocks of two machines are not the same. */
const CLOCKS_DIFFER_MS = 24 * 3_600_000

const refused = (reason: string): Read<never> => ({ ok: false, reason })

const ruleOf = (issue: z.core.$ZodIssue): string =>
  issue.code !== 'invalid_type' ? issue.message : issue.expected === 'boolean' ? BOOLEAN_RULE : 'must be a whole number'

/** PostgreSQL's text holds neither U+0000 nor half a surrogate pair. */
const isStorable = (text: string): boolean => !/[\0\p{Cs}]/u.test(text)

/** The texts as the types that the rules are about; a text that is none of its type stays, and the rule refuses it. */
const typed = ({ title, tags, status, active, forward_query: forwards, max_visits: most, ...words }: Words) => ({
  ...Object.fromEntries(Object.entries(words).filter(([, text]) => text !== '')),
  ...withText(words.created_at, (text) => ({ created_at: timeOf(text) })),
  ...withText(words.updated_at, (text) => ({ updated_at: timeOf(text) })),
  ...withText(words.starts_at, (text) => ({ starts_at: timeOf(text) })),
  ...withText(words.expires_at, (text) => ({ expires_at: timeOf(text) })),
  // titles of web pages have line breaks
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  ...withText(title, (text) => ({ title: text.replaceAll(/[\u0000-\u001f\u007f-\u009f\p{Cs}]+/gu, ' ') })),
  ...withText(tags, (text) => ({ tags: tagsOf(text) })),
  ...withText(status, (text) => ({ status: numberOf(text) })),
  ...withText(most, (text) => ({ max_visits: numberOf(text) })),
  ...withText(active, (text) => ({ active: booleanOf(text) })),
  ...withText(forwards, (text) => ({ forward_query: booleanOf(text) })),
})

const withText = <T extends object>(text: string | undefined, make: (text: string) => T): T | undefined =>
  text === undefined || text === '' ? undefined : make(text)

/** No tag holds one of these signs. */
const tagsOf = (text: string): readonly string[] =>
  text
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

const numberOf = (text: string): number | string => (/^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text)

const BOOLEAN_RULE = 'must be true or false'
const booleanOf = (text: string): boolean | string => {
  if (/^\s*(?:true|t|yes|y|1)\s*$/i.test(text)) return true
  return /^\s*(?:false|f|no|n|0|)\s*$/i.test(text) ? false : text
}

/**
 * RFC 3339, and the forms of other programs: an offset without a colon (Bitly), a space for the T, no offset (a
 * database's table; taken as UTC), a date alone (its first moment).
 */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const timeOf = (text: string): string => {
  const [, date, time = '00:00', seconds = ':00', offset = 'Z'] = TIME.exec(text.trim()) ?? []
  if (date === undefined) return text
  const [, hours = '', minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(offset) ?? []
  return `${date}T${time}${seconds}${hours === '' ? 'Z' : `${hours}:${minutes}`}`
}
