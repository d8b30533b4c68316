import type { Database } from '../database/database.js'
import type { AccessToken } from '../domain/access-token.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'

/** What a personal token begins with: people, and tools that search for leaked secrets, know it by that. */
export const PERSONAL_TOKEN_PREFIX = 'lgp_'

interface Row {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
  readonly expires_at: Date
}

/**
 * The live personal token with this value, and notes that it was used; null where there is none, or it is expired or
 * revoked. `issuer` is the name under which it is known to name a user of ours.
 */
export const usePersonalToken =
  (database: Database, issuer: string) =>
  async (value: string): Promise<AccessToken | null> => {
    if (!isOpaqueToken(value, PERSONAL_TOKEN_PREFIX)) return null
    const [row] = await database.run<Row>({
      name: 'use_personal_token',
      text: 'select * from use_personal_token($1)',
      values: [hashOfToken(value)],
    })
    if (row === undefined) return null
    return {
      subject: row.user_id,
      issuer,
      scopes: new Set(row.scopes),
      id: `personal:${row.id}`,
      expiresAt: row.expires_at.getTime() / 1_000,
      signIn: null,
    }
  }
