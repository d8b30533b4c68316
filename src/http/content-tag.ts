import { createHash } from 'node:crypto'

/**
 * The ETag (RFC 9110 §8.8.3) of a content, made of the content alone: the same on every node. A `coding` tags its
 * compressed form, whose bytes are others.
 */
export const contentTag = (content: string | Uint8Array, coding?: 'gzip'): string => {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`
}
