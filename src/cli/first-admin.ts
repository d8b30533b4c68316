import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

import type { Config } from '../config.js'
import type { OpenedDatabase } from '../database/open.js'
import { openPool } from '../database/pool.js'
import { createAccounts } from '../identity/accounts.js'
import { createPasswords } from '../identity/password.js'

export const FIRST_ADMIN = 'admin@localhost'

/**
 * Adds the first account to an empty installation; null where there are accounts. Its password goes to a file that only
 * its owner can read: not to the terminal's history, nor to collected logs. With an external issuer it has none.
 */
export const addFirstAdmin = async (
  opened: OpenedDatabase,
  config: Config,
): Promise<{ readonly passwordFile: string | null } | null> => {
  const { databasePooled: pooled, requestDeadlineMs: deadlineMs } = config
  const database = openPool({ connection: opened.service, size: 1, pooled, deadlineMs })
  const accounts = createAccounts(database)
  const add = (passwordHash: string | null) =>
    accounts.addFirst({ email: FIRST_ADMIN, role: 'admin', name: 'Admin', passwordHash })
  try {
    if (await accounts.any()) return null
    if (config.externalIssuer !== undefined) return (await add(null)) && { passwordFile: null }
    const password = randomBytes(18).toString('base64url')
    const file = join(config.dataDir, 'first-admin-password')
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    // before the account: a crash in between must not leave an account without a known password
    await writeFile(file, password, { mode: 0o600 })
    await chmod(file, 0o600)
    if (await add(await (await createPasswords()).hash(password))) return { passwordFile: shownPath(file) }
    // another node was first, and its password is the valid one
    await rm(file, { force: true })
    return null
  } finally {
    await database.close()
  }
}

/** Relative where a path is below the current folder, otherwise absolute. */
export const shownPath = (path: string): string => {
  const short = relative('.', path) || '.'
  return short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short
}
