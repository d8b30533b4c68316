import { createHash, randomBytes } from 'node:crypto'

/** 256 bits that nobody can guess, as text. A fast hash is enough to know them by: there is nothing to try out. */
export const newOpaqueToken = (prefix = ''): string => `${prefix}${randomBytes(32).toString('base64url')}`

/** What the database keeps of a token: its SHA-256. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** True for a text of the form that `newOpaqueToken` makes: what is not of it is not looked up. */
export const isOpaqueToken = (text: string, prefix = ''): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length))
