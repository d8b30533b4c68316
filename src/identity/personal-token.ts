import type { Database } from '../database/database.js'
import { hashOfToken, isOpaqueToken } from './opaque-token.js'

/** What a personal token begins with: people, and tools that search for leaked secrets, know it by that. */
export const PERSONAL_TOKEN_PREFIX = 'lgp_'

export interface FoundPersonalToken {
  readonly id: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date
}

interface Row {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
  readonly expires_at: Date
}

/**
 * The live personal token with this value, and notes that it was used; null where there is none, or it is expired or
 * revoked.
 */
export const usePersonalToken =
  (database: Database) =>
  async (token: string): Promise<FoundPersonalToken | null> => {
    if (!isOpaqueToken(token, PERSONAL_TOKEN_PREFIX)) return null
    const [row] = await database.run<Row>({
      name: 'use_personal_token',
      text: 'select * from use_personal_token($1)',
      values: [hashOfToken(token)],
    })
    return row ? { id: row.id, userId: row.user_id, scopes: row.scopes, expiresAt: row.expires_at } : null
  }
