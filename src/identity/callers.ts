import { createHash } from 'node:crypto'

import DataLoader from 'dataloader'

import type { Database } from '../database/database.js'
import { IN_ONE_TURN } from '../database/in-one-turn.js'
import { toUser, type UserRow } from '../database/user-row.js'
import type { AccessToken } from '../domain/access-token.js'
import { isId } from '../domain/id.js'
import type { User } from '../domain/user.js'
import { PERSONAL_TOKEN_PREFIX, hashOfToken, isOpaqueToken } from './opaque-token.js'

/** The user whom a token names, and what they must still have for it: a sign-in, a personal token. */
interface UserKey extends Pick<AccessToken, 'signIn' | 'personalToken'> {
  readonly id: string
}

const FIND_USERS = `
  select wanted.nth::integer, found.*
    from unnest($1::bigint[], $2::uuid[], $3::bigint[]) with ordinality as wanted (id, sign_in, personal_token, nth)
   cross join lateral find_user(wanted.id, wanted.sign_in, wanted.personal_token) as found`

interface PersonalTokenRow {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
}

/**
 * Finds the caller as they are now; null if there is none. Goes through database functions, because the login role
 * cannot read the tables of users and tokens.
 */
export const findCallers = (database: Database) => {
  const findUsers = async (keys: readonly UserKey[]) => {
    const rows = await database.lookUp<UserRow & { readonly nth: number }>({
      name: 'find_users',
      text: FIND_USERS,
      values: [
        keys.map(({ id }) => id),
        keys.map(({ signIn }) => signIn),
        keys.map(({ personalToken }) => personalToken),
      ],
    })
    const users = new Map(rows.map((row) => [row.nth, toUser(row)]))
    return keys.map((_, place) => users.get(place + 1) ?? null)
  }
  const byKey = new DataLoader<UserKey, User | null>(findUsers, IN_ONE_TURN)
  const findOne = async (name: string, text: string, values: readonly unknown[]): Promise<User | null> => {
    const [row] = await database.run<UserRow>({ name, text, values })
    return row ? toUser(row) : null
  }
  return {
    /** By id. Also null if the sign-in behind their token, or their personal token, has ended. */
    byId: async (
      id: string,
      { signIn, personalToken }: Pick<AccessToken, 'signIn' | 'personalToken'> = { signIn: null, personalToken: null },
    ): Promise<User | null> => (isId(id) ? byKey.load({ id, signIn, personalToken }) : null),

    /**
     * The user linked to a subject of an external issuer; both are compared exactly. With `admit`, an unknown subject
     * becomes a new viewer, and only one even if its first requests race.
     */
    bySubject: async (
      issuer: string,
      subject: string,
      { admit }: { readonly admit: boolean },
    ): Promise<User | null> => {
      const known = await findOne('find_external_user', 'select * from find_external_user($1, $2)', [issuer, subject])
      if (known !== null || !admit) return known
      const email = placeholderAddress(issuer, subject)
      return findOne('admit_external_user', 'select * from admit_external_user($1, $2, $3)', [issuer, subject, email])
    },

    /** The live personal token with this value. Records its use. `issuer` marks its subject as one of our users. */
    personalToken: async (value: string, issuer: string): Promise<AccessToken | null> => {
      if (!isOpaqueToken(value, PERSONAL_TOKEN_PREFIX)) return null
      const [row] = await database.run<PersonalTokenRow>({
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
        signIn: null,
        personalToken: row.id,
      }
    },
  }
}

/**
 * An address that belongs to nobody (RFC 2606): an access token does not prove which addresses its subject owns. The
 * subject is hashed, because some issuers use addresses as subjects.
 */
const placeholderAddress = (issuer: string, subject: string): string => {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
  return `${hash.slice(0, 32)}@subject.invalid`
}
