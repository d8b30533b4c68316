import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

import type { Logger } from 'pino'

import type { Config } from '../config.js'
import type { ServiceLogin } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { FIRST_ADMIN } from '../domain/user.js'
import { writeDurably } from '../files.js'
import { createAccounts, type Accounts } from '../identity/accounts.js'
import { hashOfToken, newShortToken } from '../identity/opaque-token.js'
import { createPasswords } from '../identity/password.js'

const NAMED = { email: FIRST_ADMIN, role: 'admin', name: 'Admin' } as const

/**
 * How the first admin signs in: with a link for choosing a password, a password in a file, or through the external
 * issuer.
 */
export type FirstAdmin =
  | { readonly by: 'link'; readonly token: string }
  | { readonly by: 'file'; readonly file: string }
  | { readonly by: 'issuer' }

/** How long the first admin's link works. */
const WELCOME_LINK_MS = 600_000

/**
 * Adds the first account to an empty installation; null if there are accounts, and a warning if none of them is an
 * admin's. A person at a terminal gets a link. Otherwise the password goes to a file that only its owner can read,
 * because logs may be collected.
 */
export const addFirstAdmin = async (
  { service }: ServiceLogin,
  config: Config,
  log: Pick<Logger, 'warn'>,
): Promise<FirstAdmin | null> => {
  const { databasePooled: pooled, requestDeadlineMs: deadlineMs } = config
  const database = openPool({ connection: service, size: 1, pooled, deadlineMs })
  const accounts = createAccounts(database)
  try {
    const existing = await accounts.existing()
    if (existing?.accounts === true) {
      // made at the command line, before the first start or during it
      if (!existing.admins) log.warn('no active user is an admin: `linkgate user role ADDRESS admin` makes one')
      return null
    }
    if (config.externalIssuer !== undefined)
      return (await accounts.addFirst({ ...NAMED, passwordHash: null })) && { by: 'issuer' }
    return await (config.speaksToPerson ? addWithLink(accounts) : addWithFile(accounts, config.dataDir))
  } finally {
    await database.close()
  }
}

const addWithLink = async (accounts: Accounts): Promise<FirstAdmin | null> => {
  const token = newShortToken()
  const link = { hash: hashOfToken(token), expiresAt: new Date(Date.now() + WELCOME_LINK_MS) }
  return (await accounts.addFirst({ ...NAMED, passwordHash: null }, link)) && { by: 'link', token }
}

const addWithFile = async (accounts: Accounts, dataDir: string): Promise<FirstAdmin | null> => {
  const password = randomBytes(18).toString('base64url')
  const file = join(dataDir, 'first-admin-password')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // before the account, and on disk: a crash in between must not leave an account without a known password
  await writeDurably(file, password, 0o600)
  const passwordHash = await (await createPasswords()).hash(password)
  if (await accounts.addFirst({ ...NAMED, passwordHash })) return { by: 'file', file: shownPath(file) }
  // another node was first, so its password is valid
  await rm(file, { force: true })
  return null
}

/** Relative for a path below the current folder, otherwise absolute. */
export const shownPath = (path: string): string => {
  const short = relative('.', path) || '.'
  return short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short
}
