import type { Database } from '../../database/database.js'
import type { DataRule } from '../rules.js'
import { USER_ROLES, bind, change, read } from './context.js'
import { knex, ownedRows, prepared } from './query.js'

/** A live sign-in as its user sees it. Times are ISO 8601 in UTC. */
interface OwnSignIn {
  readonly id: string
  readonly started_at: string
  /** when its last access token was issued */
  readonly last_used_at: string
  readonly expires_at: string
  /** whether this request's token belongs to it */
  readonly current: boolean
}

/** The caller's own sign-ins, and no others. */
export interface SignIns {
  /** The live ones, most recently used first, at most MOST_SIGN_INS. */
  list(): Promise<readonly OwnSignIn[]>
  /** Ends a sign-in and its access tokens at once, on every node. False if the caller has no such live sign-in. */
  end(id: string): Promise<boolean>
}

/** Limits the list: programs that sign in for every run leave many sign-ins behind. */
export const MOST_SIGN_INS = 100

interface Row {
  readonly id: string
  readonly started_at: Date
  readonly last_used_at: Date
  readonly expires_at: Date
}

/** The data layer of `/users/me/sign-ins`: always bound to the caller, even for an admin. */
export const signInsStore = (database: Database): DataRule<SignIns> => ({
  rows: 'the caller’s own sign-ins',
  open: (context) => {
    const binding = bind(context, 'own', USER_ROLES)
    const tokens = ownedRows('refresh_tokens', binding)
    /** A sign-in is a family of refresh tokens. It ends as soon as one of them is revoked. */
    const live = () => tokens().groupBy('family').havingRaw('bool_and(revoked_at is null) and max(expires_at) > now()')
    return {
      list: async () => {
        const query = live()
          .select(
            'family as id',
            knex.raw('min(created_at) as started_at, max(created_at) as last_used_at, max(expires_at) as expires_at'),
          )
          .orderBy('last_used_at', 'desc')
          .limit(MOST_SIGN_INS)
        const rows = await read<Row>(database, binding, prepared(query))
        return rows.map(({ id, started_at, last_used_at, expires_at }) => ({
          id,
          started_at: started_at.toISOString(),
          last_used_at: last_used_at.toISOString(),
          expires_at: expires_at.toISOString(),
          current: id === context.caller.signIn,
        }))
      },
      end: async (id) => {
        // revoking one token ends the whole sign-in, with a single log entry
        const newest = live().where('family', id).max('id')
        const revocation = tokens()
          .where('id', newest)
          .update({ revoked_at: knex.raw('now()') })
          .returning('id')
        return (await change(database, binding, prepared(revocation), binding.userId ?? undefined)).length > 0
      },
    }
  },
})
