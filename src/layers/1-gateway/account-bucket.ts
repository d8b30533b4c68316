import { createHash } from 'node:crypto'

/**
 * The bucket in which attempts to sign in to an account are counted: one for its address in whatever case, and readable
 * to nobody who watches the counters.
 */
export const accountBucket = (account: string): string =>
  `account:${createHash('sha256').update(account.toLowerCase()).digest('base64url')}`
