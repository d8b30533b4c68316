import { randomUUID } from 'node:crypto'

import type { ClientConfig } from 'pg'

import { openPool } from '../../src/database/pool.js'
import { ACTIONS } from '../../src/domain/action.js'
import { createAccounts } from '../../src/identity/accounts.js'
import { createIssuer } from '../../src/identity/issuer.js'
import { loadSigningKey } from '../../src/identity/signing-key.js'

/**
 * Adds a user for services that run as processes of their own, with a token for two hours. `connection` leads to their
 * database, and `signingKeyFile` is theirs.
 */
export const addUser = async (
  { connection, signingKeyFile }: { readonly connection: ClientConfig; readonly signingKeyFile: string },
  role: string,
  scope = ACTIONS.join(' '),
): Promise<{ readonly id: string; readonly token: string }> => {
  const pool = openPool({ connection, size: 1, deadlineMs: 20_000 })
  try {
    const email = `${role}-${randomUUID()}@example.com`
    const { id } = await createAccounts(pool).add({ email, role, name: role, passwordHash: null })
    const issuer = createIssuer(await loadSigningKey(signingKeyFile))
    return { id, token: (await issuer.sign({ subject: id, scope, ttlSeconds: 7_200 })).token }
  } finally {
    await pool.close()
  }
}
