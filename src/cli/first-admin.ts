import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

import type { Config } from '../config.js'
import type { OpenedDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { createAccounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'

export interface FirstAdmin {
  readonly email: string
  /** null with an external issuer: nobody has a password then */
  readonly passwordFile: string | null
}

const ACCOUNT = { email: 'admin@localhost', role: 'admin', name: 'Admin' } as const

/**
 * Adds the first account to an empty installation; null where there are accounts. Its password goes to a file that only
 * its owner can read: not to the terminal's history, nor to collected logs.
 */
export const addFirstAdmin = async (opened: OpenedDatabase, config: Config): Promise<FirstAdmin | null> => {
  const { databasePooled: pooled, requestDeadlineMs: deadlineMs } = config
  const database = openPool({ connection: opened.service, size: 1, pooled, deadlineMs })
  const accounts = createAccounts(database)
  try {
    if (await accounts.any()) return null
    if (config.externalIssuer !== undefined) {
      const added = await accounts.addFirst({ ...ACCOUNT, passwordHash: null })
      return added && { email: added.email, passwordFile: null }
    }
    const password = randomBytes(18).toString('base64url')
    const file = join(config.dataDir, 'first-admin-password')
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    // before the account: a crash in between must not leave an account without a known password
    await writeFile(file, password, { mode: 0o600 })
    await chmod(file, 0o600)
    const added = await accounts.addFirst({ ...ACCOUNT, passwordHash: await (await createPasswords()).hash(password) })
    // another node was first, and its password is the valid one
    if (added === null) await rm(file, { force: true })
    return added && { email: added.email, passwordFile: shownPath(file) }
  } finally {
    await database.close()
  }
}

/** Relative where a path is below the current folder, otherwise absolute. */
export const shownPath = (path: string): string => {
  const short = relative('.', path) || '.'
  return short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short
}
