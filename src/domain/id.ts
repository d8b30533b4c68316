/** A positive 64-bit integer as a canonical decimal string, so that equal ids are equal strings (R5). */
export type Id = string & { readonly __id: unique symbol }

const CANONICAL = /^[1-9]\d{0,18}$/
const LARGEST = '9223372036854775807'

/** Accepts only the canonical text: no sign, no leading zero, nothing above 2^63 - 1. */
export const isId = (text: unknown): text is Id =>
  typeof text === 'string' && CANONICAL.test(text) && (text.length < LARGEST.length || text <= LARGEST)

/** Narrows an id from the database. */
export const toId = (text: string): Id => {
  if (!isId(text)) throw new Error('the database returned an id that is not a positive 64-bit integer')
  return text
}
