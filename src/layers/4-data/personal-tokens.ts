import { isServiceAction } from '../../domain/action.js'
import type { ServiceAction } from '../../domain/action.js'
import { enterChange } from '../../database/change.js'
import type { Database } from '../../database/database.js'
import { SQLSTATE, sqlState } from '../../database/errors.js'
import { Refusal } from '../../domain/refusal.js'
import type { DataContext, DataRule } from '../route.js'
import { bindTransaction, inTransaction } from './context.js'
import { knex, ownerBound, toStatement } from './query.js'
import { insertOnce, madeBefore } from './repeat.js'

/** A personal token as its owner sees it. Its value is known to nobody but the program that holds it. */
export interface PersonalToken {
  readonly id: string
  readonly name: string
  readonly scopes: readonly ServiceAction[]
  readonly created_at: string
  readonly expires_at: string
  readonly last_used_at: string | null
}

/** The caller's own personal tokens, and no others. */
export interface PersonalTokens {
  /** Throws `too_many_tokens` (409). Repeated, answers what was made then. */
  add(token: {
    readonly name: string
    readonly hash: Buffer
    readonly scopes: readonly ServiceAction[]
    readonly expiresAt: Date
  }): Promise<PersonalToken>
  list(): Promise<readonly PersonalToken[]>
  /** Ends a token at once, on every node. False where the caller has no such live token. */
  revoke(id: string): Promise<boolean>
}

interface Row {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
}

const ROLES = { own: 'users_own', any: 'users_any' } as const
const COLUMNS = ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const

const toToken = ({ id, name, scopes, created_at, expires_at, last_used_at }: Row): PersonalToken => ({
  id,
  name,
  scopes: scopes.filter(isServiceAction),
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})

/** The data layer of `/users/me/tokens`: always bound to the caller, also for an admin. */
export const personalTokensStore = (database: Database): DataRule<PersonalTokens> => ({
  rows: 'the caller’s own tokens',
  open: (context: DataContext) => {
    const binding = bindTransaction(context, 'own', ROLES)
    const live = () =>
      ownerBound('personal_tokens', 'user_id', binding).whereNull('revoked_at').whereRaw('expires_at > now()')
    return {
      add: async ({ name, hash, scopes, expiresAt }) => {
        if (context.repeat?.known === true)
          return toToken(await madeBefore<Row>(database, binding, context.repeat, 'personal_tokens', COLUMNS))
        const query = knex('personal_tokens')
          .insert({
            user_id: binding.userId,
            name,
            token_hash: hash,
            scopes: knex.raw(`string_to_array(?, ' ')`, [scopes.join(' ')]),
            expires_at: expiresAt,
          })
          .returning([...COLUMNS])
        const [row] = await insertOnce<Row>(database, binding, context.repeat, query).catch((error: unknown) => {
          throw sqlState(error) === SQLSTATE.tooManyTokens ? new Refusal('too_many_tokens', { cause: error }) : error
        })
        if (!row) throw new Error('an insert answered no row')
        return toToken(row)
      },
      list: async () =>
        (
          await inTransaction<Row>(
            database,
            binding.read,
            toStatement(
              live()
                .select(...COLUMNS)
                .orderBy('id'),
            ),
          )
        ).map(toToken),
      revoke: async (id) => {
        const query = live()
          .where('id', id)
          .update({ revoked_at: knex.raw('now()') })
          .returning('id')
        return (await inTransaction(database, enterChange(binding.entering), toStatement(query))).length === 1
      },
    }
  },
})
