import { isStorable } from '../domain/text.js'
import { FIELDS, type Field, type Words } from './words.js'

/** The first field whose text the database cannot store. Such characters in a title are replaced instead. */
export const unstorableIn = (words: Words): string | undefined =>
  Object.entries(words).find(([name, text]) => name !== 'title' && !isStorable(text))?.[0]

/**
 * Converts the texts to the types that the rules expect. A text that does not convert stays, and the rule refuses it.
 */
export const typedFields = (words: Words): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    FIELDS.flatMap((name) => {
      const text = words[name] ?? ''
      return text === '' ? [] : [[name, (CONVERSIONS[name] ?? String)(text)]]
    }),
  )

/** Splits at characters that no tag can contain. */
const tagsOf = (text: string): readonly string[] =>
  text
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

const numberOf = (text: string): number | string => (/^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text)

export const BOOLEAN_RULE = 'must be true or false'
export const booleanOf = (text: string): boolean | string => {
  const word = text.trim()
  if (/^(?:true|t|yes|y|1)$/i.test(word)) return true
  return /^(?:false|f|no|n|0|)$/i.test(word) ? false : text
}

/**
 * RFC 3339, and the formats of other programs: an offset without a colon (Bitly), a space instead of the T, no offset
 * (a database table; taken as UTC), only a date (taken as its first moment).
 */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const timeOf = (text: string): string => {
  const [, date, time = '00:00', seconds = ':00', offset = 'Z'] = TIME.exec(text.trim()) ?? []
  if (date === undefined) return text
  const [, hours = '', minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(offset) ?? []
  return `${date}T${time}${seconds}${hours === '' ? 'Z' : `${hours}:${minutes}`}`
}

/** Titles of web pages have line breaks. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const oneLineOf = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f\p{Cs}]+/gu, ' ')

const CONVERSIONS: { readonly [Name in Field]?: (text: string) => unknown } = {
  created_at: timeOf,
  updated_at: timeOf,
  starts_at: timeOf,
  expires_at: timeOf,
  title: oneLineOf,
  tags: tagsOf,
  status: numberOf,
  max_visits: numberOf,
  active: booleanOf,
  forward_query: booleanOf,
}
