import { createHash } from 'node:crypto'

/**
 * The ETag (RFC 9110 §8.8.3) of some content. It is a hash of the content, so it is the same on every node. `coding`:
 * for the compressed form, whose bytes differ.
 */
export const contentTag = (content: string | Uint8Array, coding?: 'gzip'): string => {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`
}
