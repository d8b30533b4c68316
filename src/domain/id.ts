/** A 64-bit identifier as a canonical decimal string: what JSON carries, PostgreSQL's bigint takes, and R5 compares. */
export type Id = string & { readonly __id: unique symbol }

const CANONICAL = /^[1-9]\d{0,18}$/
const LARGEST = '9223372036854775807'

/**
 * True for a canonical positive 64-bit integer. Canonical text means that equal ids are equal strings, beyond 2^53 too.
 */
export const isId = (text: unknown): text is Id =>
  typeof text === 'string' && CANONICAL.test(text) && (text.length < LARGEST.length || text <= LARGEST)

/** An id that the database gave. Throws where it is none: then the schema is not ours. */
export const toId = (text: string): Id => {
  if (!isId(text)) throw new Error('the database holds an id that is not a positive 64-bit integer')
  return text
}
