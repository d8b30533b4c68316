import type { Knex } from 'knex'

import { isScope, type Scope } from '../../domain/action.js'
import type { Database } from '../../database/database.js'
import { isId } from '../../domain/id.js'
import type { DataRule } from '../rules.js'
import { USER_ROLES, bind, change, read } from './context.js'
import { insertOnce } from './idempotency.js'
import { knex, ownedRows, toStatement } from './query.js'

/** A personal token as its owner sees it. The token itself is not stored, only its hash. */
interface PersonalToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null if unknown (an external issuer, the command line) */
  readonly made_by: { readonly type: 'token' | 'sign_in'; readonly id: string } | null
  readonly created_at: string
  readonly expires_at: string
  readonly last_used_at: string | null
}

/** The caller's own personal tokens, and no others. */
export interface PersonalTokens {
  /** Throws `too_many_tokens` (409), and `already_created` (409) if the Idempotency-Key has already created a token. */
  add(token: {
    readonly name: string
    readonly hash: Buffer
    readonly scopes: readonly Scope[]
    readonly expiresAt: Date
  }): Promise<PersonalToken>
  list(): Promise<readonly PersonalToken[]>
  /** Revokes a token at once, on every node. False if the caller has no such live token. */
  revoke(id: string): Promise<boolean>
  /** Revokes a token, or the tokens of a sign-in, and all tokens made with them. False if none was live. */
  revokeWithDescendants(origin: string): Promise<boolean>
}

interface Row {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly made_by_token: string | null
  readonly made_by_sign_in: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
}

const COLUMNS = [
  'id',
  'name',
  'scopes',
  'made_by_token',
  'made_by_sign_in',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

const makerOf = ({ made_by_token: token, made_by_sign_in: signIn }: Row): PersonalToken['made_by'] => {
  if (token !== null) return { type: 'token', id: token }
  return signIn === null ? null : { type: 'sign_in', id: signIn }
}

const toToken = (row: Row): PersonalToken => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.filter(isScope),
  made_by: makerOf(row),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

/** The data layer of `/users/me/tokens`: always bound to the caller, even for an admin. */
export const personalTokensStore = (database: Database): DataRule<PersonalTokens> => ({
  rows: 'the caller’s own tokens',
  open: (context) => {
    const { caller } = context
    const binding = bind(context, 'own', USER_ROLES)
    const tokens = ownedRows('personal_tokens', binding)
    const live = () => tokens().whereNull('revoked_at').whereRaw('expires_at > now()')
    const revoke = async (query: Knex.QueryBuilder) => {
      const update = query.update({ revoked_at: knex.raw('now()') }).returning('id')
      return (await change(database, binding, update, binding.userId ?? undefined)).length > 0
    }
    return {
      add: async ({ name, hash, scopes, expiresAt }) => {
        const insert = tokens
          .insert({
            name,
            token_hash: hash,
            scopes: knex.raw(`string_to_array(?, ' ')`, [scopes.join(' ')]),
            expires_at: expiresAt,
            made_by_token: caller.personalToken,
            made_by_sign_in: caller.signIn,
          })
          .returning([...COLUMNS])
        return toToken(await insertOnce<Row>(database, binding, toStatement(insert)))
      },
      list: async () => {
        const rows = await read<Row>(
          database,
          binding,
          live()
            .select(...COLUMNS)
            .orderBy('id'),
        )
        return rows.map(toToken)
      },
      // the id may also be that of a sign-in, which is not a token id
      revoke: async (id) => isId(id) && revoke(live().where({ id })),
      revokeWithDescendants: async (origin) => {
        const made = isId(origin) ? tokens().where('id', origin) : tokens().where('made_by_sign_in', origin)
        const followed = tokens().select('personal_tokens.id').join('ended', 'made_by_token', 'ended.id')
        return revoke(
          live()
            .withRecursive('ended', (query) => query.from(made.select('id').as('origin')).union(followed))
            .whereIn('id', knex.select('id').from('ended')),
        )
      },
    }
  },
})
