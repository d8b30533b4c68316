import { createHash, randomBytes } from 'node:crypto'

/** The prefix of every personal token, for people and secret scanners to recognise. */
export const PERSONAL_TOKEN_PREFIX = 'lgp_'

/** 256 random bits as text. */
export const newOpaqueToken = (prefix = ''): string => `${prefix}${randomBytes(32).toString('base64url')}`

/** The SHA-256 of a token, which is all that the database stores. A fast hash is enough: nobody can guess 256 bits. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** True if the text has the form that `newOpaqueToken` makes. Nothing else is looked up. */
export const isOpaqueToken = (text: string, prefix = ''): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length))

/** 128 random bits as text, for a short-lived link that has to fit on one line of a terminal. */
export const newShortToken = (): string => randomBytes(16).toString('base64url')

export const isShortToken = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)
