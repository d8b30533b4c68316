import { randomUUID } from 'node:crypto'

import { expect } from 'chai'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'

import { openPool, type PooledDatabase } from '../../src/database/pool.js'
import { findCallers } from '../../src/identity/callers.js'
import { PERSONAL_TOKEN_PREFIX, newOpaqueToken } from '../../src/identity/opaque-token.js'
import { findLink } from '../../src/redirects/find-link.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { addLink, addUserWithId, BY_HAND } from '../support/records.js'

describe('who calls', () => {
  const [lives, ended, over] = [randomUUID(), randomUUID(), randomUUID()]
  let db: TestDatabase
  let pool: PooledDatabase
  /** of personal tokens: a live one, a revoked and an expired one */
  const values = Array.from({ length: 3 }, () => newOpaqueToken(PERSONAL_TOKEN_PREFIX))
  let tokens: readonly { readonly id: string }[]

  before(async () => {
    db = await testDatabase()
    pool = openPool({ connection: db.service, size: 2, deadlineMs: 5_000 })
    for (const id of ['1', '2', '3']) await addUserWithId(db, id, 'editor')
    await db.asOwner('update users set suspended_at = now() where id = 3')
    await db.asOwner(
      `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at, revoked_at)
       select family, 1, sha256(family::text::bytea), '', now() + hours * interval '1 hour', ended
         from (values ($1::uuid, 1, null::timestamptz), ($2, 1, now()), ($3, -1, null)) as t (family, hours, ended)`,
      [lives, ended, over],
    )
    tokens = await db.asOwner<{ id: string }>(
      `with decided as (select set_config('app.decision', $1, false))
         insert into personal_tokens (user_id, name, token_hash, scopes, expires_at, revoked_at)
         select user_id, 'x', sha256(value), '{}', now() + hours * interval '1 hour', ended
           from decided, (values (1, 1, null::timestamptz, $2::bytea), (2, 1, now(), $3), (1, -1, null, $4))
                as t (user_id, hours, ended, value)
         returning id`,
      [BY_HAND, ...values.map((value) => Buffer.from(value))],
    )
  })
  after(() => pool.close())

  it('is the same whether they are asked for alone or in one turn with others', async () => {
    const callers = findCallers(pool)
    const [token, revoked, expired] = tokens.map(({ id }) => id)
    const keys = constantFrom(
      { id: '1', signIn: null, personalToken: null },
      { id: '1', signIn: lives, personalToken: null },
      { id: '1', signIn: ended, personalToken: null },
      { id: '1', signIn: randomUUID(), personalToken: null },
      { id: '1', signIn: null, personalToken: token ?? null },
      { id: '2', signIn: null, personalToken: token ?? null },
      { id: '2', signIn: null, personalToken: revoked ?? null },
      { id: '2', signIn: null, personalToken: null },
      { id: '3', signIn: null, personalToken: null },
      { id: '404', signIn: null, personalToken: null },
    )
    await assert(
      asyncProperty(array(keys, { maxLength: 30 }), async (asked) => {
        const together = await Promise.all(asked.map((key) => callers.byId(key.id, key)))
        const alone = []
        for (const key of asked) alone.push(await callers.byId(key.id, key))
        expect(together).to.deep.equal(alone)
      }),
      { numRuns: 30 },
    )
    const found = async (id: string, signIn: string | null, personalToken: string | null) =>
      (await callers.byId(id, { signIn, personalToken }))?.id
    expect(await found('1', lives, null)).to.equal('1')
    expect(await found('1', ended, null)).to.equal(undefined)
    expect(await found('1', over, null)).to.equal(undefined)
    expect(await found('2', lives, null)).to.equal(undefined)
    expect(await found('1', null, token ?? null)).to.equal('1')
    expect(await found('2', null, token ?? null)).to.equal(undefined)
    expect(await found('2', null, revoked ?? null)).to.equal(undefined)
    expect(await found('1', null, expired ?? null)).to.equal(undefined)
    expect(await callers.byId('3')).to.include({ id: '3', suspended: true })
  })

  it('is named by a personal token only while that lives', async () => {
    const callers = findCallers(pool)
    const named = await Promise.all(values.map((value) => callers.personalToken(value, 'ours')))
    expect(named.map((token) => token && [token.subject, token.personalToken])).to.deep.equal([
      ['1', tokens[0]?.id],
      null,
      null,
    ])
  })

  it('is found beside links that are looked up in the same turn, each as itself', async () => {
    const callers = findCallers(pool)
    const find = findLink(pool)
    const codes = [await addLink(db, { owner: '1' }), await addLink(db, { owner: '2' })]
    const [users, links] = await Promise.all([
      Promise.all(['2', '404', '1', '2'].map((id) => callers.byId(id))),
      Promise.all([...codes, 'absent', ...codes].map((code) => find(code))),
    ])
    expect(users.map((user) => user?.id)).to.deep.equal(['2', undefined, '1', '2'])
    expect(links.map((link) => link?.code)).to.deep.equal([...codes, undefined, ...codes])
  })

  it('is not known, and no link is, while the database is away: 503 for each', async () => {
    const away = openPool({ connection: { ...db.service, port: 1, host: '127.0.0.1' }, size: 1, deadlineMs: 1_000 })
    try {
      const asked = [findCallers(away).byId('1'), findCallers(away).byId('2'), findLink(away)('code')]
      for (const answer of await Promise.allSettled(asked)) {
        expect(answer).to.have.nested.property('reason.code', 'database_unavailable')
      }
    } finally {
      await away.close()
    }
  })
})
