import { createHash } from 'node:crypto'

/**
 * The ETag (RFC 9110 §8.8.3) of a text, made of the text alone: the same on every node. A `coding` tags its compressed
 * form, whose bytes are others.
 */
export const contentTag = (text: string, coding?: 'gzip'): string => {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`
}
