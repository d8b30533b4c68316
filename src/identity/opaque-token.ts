import { createHash, randomBytes } from 'node:crypto'

/** The start of each personal token. People and secret scanners recognise it. */
export const PERSONAL_TOKEN_PREFIX = 'lgp_'

/** 256 random bits as text. */
export const newOpaqueToken = (prefix = ''): string => `${prefix}${randomBytes(32).toString('base64url')}`

/** SHA-256, which is all that the database keeps of a token. A fast hash will do: nobody can try out 256 bits. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** True for the form that `newOpaqueToken` makes. Nothing else is looked up. */
export const isOpaqueToken = (text: string, prefix = ''): boolean =>
  text.startsWith(prefix) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length))

/** 128 random bits as text: for a link that has to fit into a line of a terminal, and lives for minutes. */
export const newShortToken = (): string => randomBytes(16).toString('base64url')

export const isShortToken = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)
