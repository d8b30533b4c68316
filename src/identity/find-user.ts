import { createHash } from 'node:crypto'

import type { Database } from '../database/database.js'
import { toUser } from '../database/user-row.js'
import type { UserRow } from '../database/user-row.js'
import { isId } from '../domain/id.js'
import type { User } from '../domain/user.js'

/**
 * One user by their id, as they are now; null where there is none, or where the sign-in that is named with them is
 * over. A text that is no id asks nothing.
 */
export const findUser =
  (database: Database) =>
  async (id: string, signIn: string | null = null): Promise<User | null> => {
    if (!isId(id)) return null
    const [row] = await database.run<UserRow>({
      name: 'find_user',
      text: 'select * from find_user($1, $2)',
      values: [id, signIn],
    })
    return row ? toUser(row) : null
  }

/**
 * The user whom a subject of an external issuer is linked to; null where there is none. Both texts are compared
 * exactly. With `admit`, a subject that is not known becomes a new viewer: one, also where its first requests meet.
 */
export const findExternalUser =
  (database: Database, { admit }: { readonly admit: boolean }) =>
  async (issuer: string, subject: string): Promise<User | null> => {
    const find = async () =>
      database.run<UserRow>({
        name: 'find_external_user',
        text: 'select * from find_external_user($1, $2)',
        values: [issuer, subject],
      })
    const [known] = await find()
    if (known !== undefined) return toUser(known)
    if (!admit) return null
    const [made] = await database.run<UserRow>({
      text: 'select * from admit_external_user($1, $2, $3)',
      values: [issuer, subject, placeholderAddress(issuer, subject)],
    })
    return made ? toUser(made) : null
  }

/**
 * An address that is nobody's (RFC 2606): an access token proves who the subject is, and not which addresses are
 * theirs. The subject is not in it, since some issuers use addresses as subjects.
 */
const placeholderAddress = (issuer: string, subject: string): string =>
  `${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32)}@subject.invalid`
