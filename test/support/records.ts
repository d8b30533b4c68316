import { randomBytes } from 'node:crypto'

import type { Statement } from '../../src/database/statement.js'
import type { TestDatabase } from './database.js'

/** A decision record that the database accepts beside a change that no request made. */
export const BY_HAND = JSON.stringify({
  request_id: 'by-hand',
  revision: 1,
  layer: 'object',
  subject_role: 'owner',
  action: 'link:update',
  relation: 'other',
  effect: 'allow',
  rule: 'R3',
  status: 200,
})

/** What has to stand before a change inside a flush of a test's own. */
export const DECIDED: Statement = { text: `select set_config('app.decision', $1, true)`, values: [BY_HAND] }

let codes = 0

/** A code that no other test uses. */
export const freshCode = (prefix = 'code'): string => `${prefix}-${(codes += 1)}-${randomBytes(4).toString('hex')}`

export interface LinkByHand {
  readonly code?: string
  readonly target?: string
  readonly owner: string | null
}

/** A link as the owner of the schema makes it, past every layer; answers its code. */
export const addLink = async (
  db: TestDatabase,
  { code = freshCode(), target = 'https://example.com/', owner }: LinkByHand,
): Promise<string> => {
  await db.asOwner(
    `with decided as (select set_config('app.decision', $1, false))
     insert into links (code, target, owner_id) select $2, $3, $4::bigint from decided`,
    [BY_HAND, code, target, owner],
  )
  return code
}

export interface ManyLinks {
  readonly owner: string
  readonly count: number
  /** what every code begins with; the numbers from 1 follow */
  readonly prefix: string
  readonly targetLength?: number
}

/** Many links in one statement, past every trigger: they have no decision records, and nobody is notified. */
/** A link in the trash, made by hand; answers its id. */
export const addDeletedLink = async (db: TestDatabase, owner: string | null): Promise<string> => {
  const [row] = await db.asOwner<{ id: string }>(
    `with gone as (select nextval(pg_get_serial_sequence('links', 'id')) as id)
     insert into deleted_links (id, code, target, owner_id, created_at, updated_at, version, tags, status, active, used,
         forward_query)
       select id, $1, 'https://example.com/', $2, now(), now(), 1, '{}', 302, true, 0, false from gone returning id`,
    [freshCode(), owner],
  )
  if (row === undefined) throw new Error('no row was inserted')
  return row.id
}

export const addManyLinks = (
  db: TestDatabase,
  { owner, count, prefix, targetLength = 20 }: ManyLinks,
): Promise<unknown> =>
  db.asOwner(
    `with role as (select set_config('session_replication_role', 'replica', false) as name), made as (
       insert into links (code, target, owner_id)
       select $1::text || n, rpad('https://example.com/', $2::int, 'x'), $3::bigint
         from generate_series(1, $4::int) n, role where name = 'replica' returning id)
     select set_config('session_replication_role', 'origin', false) from (select count(*) from made) every`,
    [prefix, targetLength, owner, count],
  )

/** A user whom nobody misses; answers the id. */
export const addUserToDelete = async (db: TestDatabase): Promise<string> => {
  const [row] = await db.asOwner<{ id: string }>(`insert into users (email, role) values ($1, 'viewer') returning id`, [
    `${freshCode('gone')}@example.com`,
  ])
  if (row === undefined) throw new Error('no row was inserted')
  return row.id
}

/** The token of a link to choose a new password, or to confirm a new address. */
export const addAccountToken = async (db: TestDatabase, userId: string, email: string | null = null) => {
  const token = randomBytes(32).toString('base64url')
  await db.asOwner(
    `insert into account_tokens (user_id, purpose, token_hash, email, expires_at)
     values ($1, case when $3::text is null then 'password' else 'address' end, sha256($2), $3,
       now() + interval '1 hour')`,
    [userId, Buffer.from(token), email],
  )
  return token
}

/** A user with an id of the test's choice. */
export const addUserWithId = async (db: TestDatabase, id: string, role: string): Promise<void> => {
  await db.asOwner(`insert into users (id, email, role) overriding system value values ($1, $2, $3)`, [
    id,
    // apart from those of `addUser`, which are numbered
    `${role}-with-id-${id}@example.com`,
    role,
  ])
}

/** Changes the owner of a link, as an administrator of the database can. */
export const giveAway = async (db: TestDatabase, code: string, owner: string | null): Promise<void> => {
  await db.asOwner(
    `with decided as (select set_config('app.decision', $1, false))
     update links set owner_id = $3::bigint from decided where code = $2`,
    [BY_HAND, code, owner],
  )
}

export interface StoredLink extends Record<string, unknown> {
  readonly code: string
  readonly target: string
  readonly owner_id: string | null
}

/** All links as they are stored, in order of their code. */
export const storedLinks = (db: TestDatabase): Promise<readonly StoredLink[]> =>
  db.asOwner<StoredLink>('select code, target, owner_id from links order by code')

export const storedLink = async (db: TestDatabase, code: string): Promise<StoredLink | undefined> =>
  (await db.asOwner<StoredLink>('select code, target, owner_id from links where code = $1', [code]))[0]
