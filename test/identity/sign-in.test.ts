import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { Client } from 'pg'

import type { Database } from '../../src/database/database.js'
import { openPool } from '../../src/database/pool.js'
import { ACTIONS } from '../../src/domain/action.js'
import { isId, type Id } from '../../src/domain/id.js'
import { Refusal } from '../../src/domain/refusal.js'
import { createIssuer, type Issuer } from '../../src/identity/issuer.js'
import type { Passwords } from '../../src/identity/password.js'
import { createSignIn, type SignedIn } from '../../src/identity/sign-in.js'
import { loadOrMakeSigningKey } from '../../src/identity/signing-key.js'
import { soon } from '../support/soon.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { BY_HAND } from '../support/records.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

type TokenAnswer = Awaited<ReturnType<ReturnType<typeof createTestSignIn>['password']>>

const hashFor = (password: string) => `hash of ${password}`

const refusalOf = async (promise: Promise<unknown>): Promise<Refusal> => {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (outcome instanceof Refusal) return outcome
  throw outcome instanceof Error ? outcome : new Error('was not refused')
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => (await refusalOf(promise)).code

let db: TestDatabase
let database: Database
let issuer: Issuer
before(async () => {
  db = await testDatabase()
  database = openPool({ connection: db.service, size: 8, deadlineMs: 5_000 })
  issuer = createIssuer(await loadOrMakeSigningKey(join(await makeTemporaryFolder(), 'key.pem')))
})
after(() => database.close())

const addUser = async (email: string, password: string | null): Promise<Id> => {
  const [row] = await db.asOwner<{ id: string }>(
    `insert into users (email, role, password_hash) values ($1, 'editor', $2) returning id`,
    [email, password === null ? null : hashFor(password)],
  )
  if (!isId(row?.id)) throw new Error('not an id')
  return row.id
}
const setPassword = (id: Id, password: string) =>
  db.asOwner('update users set password_hash = $2 where id = $1', [id, hashFor(password)])
const suspend = (id: Id, suspended: boolean) =>
  db.asOwner('update users set suspended_at = case when $2 then now() end where id = $1', [id, suspended])
const expire = () => db.asOwner('update refresh_tokens set expires_at = now()')
const storedTokens = () =>
  db.asOwner<{ expires_at: Date }>(`select t.*, encode(token_hash, 'hex') as hash from refresh_tokens t`)

/** Sign-in with cheap passwords, answering as the token endpoint does. */
const createTestSignIn = (verify: Passwords['verify'] = async (hash, password) => hash === hashFor(password)) => {
  const { password, refresh, revoke } = createSignIn({
    database,
    issuer,
    passwords: { hash: async (plain) => hashFor(plain), verify },
  })
  const request = () => ({ id: 'r', network: '', deadline: soon() })
  const answerOf = ({ access, refreshToken }: SignedIn) => ({ ...access, refresh_token: refreshToken })
  return {
    password: async (grant: Parameters<typeof password>[0]) => answerOf(await password(grant, request())),
    refresh: async (grant: Parameters<typeof refresh>[0]) => answerOf(await refresh(grant, request())),
    revoke: (token: string) => revoke(token, request()),
  }
}

describe('sign-in', () => {
  let signIn: ReturnType<typeof createTestSignIn>
  let ada: Id
  /** what each password check was given */
  let checks: { readonly hash: string | null | undefined; readonly password: string }[]

  beforeEach(async () => {
    await db.asOwner('truncate users cascade')
    checks = []
    signIn = createTestSignIn(async (hash, password) => {
      checks.push({ hash, password })
      return hash === hashFor(password)
    })
    ada = await addUser('Ada@example.org', 'correct horse')
  })

  const enter = (scope?: string): Promise<TokenAnswer> =>
    signIn.password({ username: 'ada@EXAMPLE.org', password: 'correct horse', scope })
  const refresh = (token: string, scope?: string): Promise<TokenAnswer> =>
    signIn.refresh({ refresh_token: token, scope })

  it('answers as RFC 6749 says, for 15 minutes, with every scope of the service', async () => {
    const answer = await enter()
    expect(Object.keys(answer).sort()).to.deep.equal([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ])
    expect(answer).to.include({ token_type: 'Bearer', expires_in: 900, scope: ACTIONS.join(' ') })
    expect(answer.refresh_token).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(decodeJwt(answer.access_token)).to.include({ sub: ada, scope: ACTIONS.join(' ') })
  })

  it('grants the requested scopes and no others', async () => {
    const answer = await enter('link:read link:create link:read')
    expect(answer.scope).to.equal('link:read link:create')
    expect(decodeJwt(answer.access_token).scope).to.equal('link:read link:create')
  })

  it('grants nothing for an empty scope, also after a refresh', async () => {
    const answer = await enter('')
    expect(answer.scope).to.equal('')
    expect((await refresh(answer.refresh_token)).scope).to.equal('')
  })

  for (const scope of ['link:*', 'LINK:READ', 'admin', ' link:read', 'link:read  link:create', 'openid']) {
    it(`refuses the scope ${JSON.stringify(scope)} as invalid_scope`, async () => {
      expect(await codeOf(enter(scope))).to.equal('invalid_scope')
      const { refresh_token: token } = await enter()
      expect(await codeOf(refresh(token, scope))).to.equal('invalid_scope')
      expect((await refresh(token)).scope, 'the token is as it was').to.equal(ACTIONS.join(' '))
    })
  }

  it('gives one answer to unknown and bad addresses, wrong and missing passwords, suspended accounts', async () => {
    await addUser('invited@example.org', null)
    await suspend(await addUser('gone@example.org', 'correct horse'), true)
    const attempts = [
      ['nobody@example.org', 'correct horse'],
      ['ada@example.org', 'wrong'],
      ['ada@example.org', ''],
      ['invited@example.org', 'correct horse'],
      ['gone@example.org', 'correct horse'],
      ['no address', 'x'],
      ['', ''],
      [`${'a'.repeat(300)}@example.org`, 'x'],
      ['ada@example.org\0', 'correct horse'],
      ["' or 1=1 --@x", 'x'],
      ['%@example.org', 'correct horse'],
      ['ada@example.org ', 'correct horse'],
    ] as const
    const refusals = await Promise.all(
      attempts.map(([username, password]) => refusalOf(signIn.password({ username, password }))),
    )
    const shapes = refusals.map(({ code, status, message, detail, errors, headers, extensions }) =>
      JSON.stringify({ code, status, message, detail, errors, headers, extensions }),
    )
    expect(new Set(shapes).size).to.equal(1)
    expect(refusals[0]).to.include({ code: 'invalid_grant', status: 400 })
    expect(await storedTokens()).to.deep.equal([])
  })

  it('verifies a password for unknown accounts, too', async () => {
    for (const username of ['nobody@example.org', 'no address', `${'a'.repeat(300)}@example.org`]) {
      await codeOf(signIn.password({ username, password: 'correct horse' }))
    }
    expect(checks).to.deep.equal(Array.from({ length: 3 }, () => ({ hash: undefined, password: 'correct horse' })))
  })

  it('stores no token, only its SHA-256', async () => {
    const first = await enter()
    const second = await refresh(first.refresh_token)
    const dump = JSON.stringify(await storedTokens())
    for (const { refresh_token: token, access_token: access } of [first, second]) {
      expect(dump).to.not.include(token)
      expect(dump).to.not.include(Buffer.from(token, 'base64url').toString('hex'))
      expect(dump).to.not.include(access)
      expect(dump).to.include(createHash('sha256').update(token).digest('hex'))
    }
  })

  it('rotates refresh tokens', async () => {
    let { refresh_token: token } = await enter('link:read')
    const seen = new Set([token])
    for (let i = 0; i < 5; i++) {
      const answer = await refresh(token)
      expect(decodeJwt(answer.access_token)).to.include({ sub: ada, scope: 'link:read' })
      token = answer.refresh_token
      seen.add(token)
    }
    expect(seen.size).to.equal(6)
  })

  it('ends the whole sign-in when a token comes back after its rotation', async () => {
    const first = await enter()
    const second = await refresh(first.refresh_token)
    const third = await refresh(second.refresh_token)
    expect(await codeOf(refresh(first.refresh_token))).to.equal('invalid_grant')
    for (const token of [first, second, third])
      expect(await codeOf(refresh(token.refresh_token))).to.equal('invalid_grant')
  })

  it('leaves other sign-ins of the user alone when one ends', async () => {
    const [one, other] = [await enter(), await enter()]
    await refresh(one.refresh_token)
    expect(await codeOf(refresh(one.refresh_token))).to.equal('invalid_grant')
    expect((await refresh(other.refresh_token)).token_type).to.equal('Bearer')
  })

  it('lets one of 10 concurrent refreshes of one token win, and ends the sign-in', async () => {
    for (let round = 0; round < 5; round++) {
      const { refresh_token: token } = await enter()
      const answers = await Promise.allSettled(Array.from({ length: 10 }, () => refresh(token)))
      const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      expect(won).to.have.length(1)
      for (const answer of answers)
        if (answer.status === 'rejected') expect(answer.reason).to.include({ code: 'invalid_grant' })
      expect(await codeOf(refresh(won[0]?.refresh_token ?? ''))).to.equal('invalid_grant')
    }
  })

  describe('with a grace', () => {
    const GRACE = 10
    const renew = async (token: string): Promise<string> =>
      (await signIn.refresh({ refresh_token: token, grace: GRACE })).refresh_token
    /** as if so much time had passed since everything that happened */
    const later = (seconds: number) =>
      db.asOwner('update refresh_tokens set used_at = used_at - make_interval(secs => $1)', [seconds])

    it('gives each of 10 concurrent refreshes of one token a successor, and goes on with any of them', async () => {
      for (const chosen of [0, 4, 9]) {
        const { refresh_token: token } = await enter()
        const twins = await Promise.all(Array.from({ length: 10 }, () => renew(token)))
        expect(new Set(twins).size).to.equal(10)
        await later(GRACE)
        const next = await renew(twins[chosen] ?? '')
        await later(GRACE)
        expect(await renew(next)).to.match(/^[A-Za-z0-9_-]{43}$/)
      }
    })

    it('spends all twins with the first that is used, and ends the sign-in when another comes later', async () => {
      for (const presented of [0, 1]) {
        const { refresh_token: token } = await enter()
        const twins = [await renew(token), await renew(token)]
        await later(GRACE)
        const next = await renew(twins[presented] ?? '')
        await later(GRACE)
        expect(await codeOf(renew(twins[1 - presented] ?? ''))).to.equal('invalid_grant')
        expect(await codeOf(renew(next))).to.equal('invalid_grant')
      }
    })

    it('spends what a copy got as well, however many renewals lie between them', async () => {
      const { refresh_token: token } = await enter()
      let mine = await renew(token)
      mine = await renew(mine)
      const copied = await renew(token)
      await later(GRACE)
      for (let i = 0; i < 3; i++) {
        mine = await renew(mine)
        await later(GRACE)
      }
      expect(await codeOf(renew(copied))).to.equal('invalid_grant')
      expect(await codeOf(renew(mine)), 'and of the owner').to.equal('invalid_grant')
    })

    it('ends the sign-in when a token comes back after the grace', async () => {
      const { refresh_token: token } = await enter()
      const next = await renew(token)
      await later(GRACE)
      expect(await codeOf(renew(token))).to.equal('invalid_grant')
      expect(await codeOf(renew(next))).to.equal('invalid_grant')
    })

    it('is none for the token endpoint, whoever gave the grace before', async () => {
      const { refresh_token: token } = await enter()
      const [first = '', second = ''] = [await renew(token), await renew(token)]
      const { refresh_token: next } = await refresh(first)
      expect(await codeOf(refresh(second))).to.equal('invalid_grant')
      expect(await codeOf(renew(next))).to.equal('invalid_grant')
    })

    it('brings back no sign-in that was ended, and never widens a scope', async () => {
      const { refresh_token: token } = await enter('link:read')
      await renew(token)
      expect(await codeOf(signIn.refresh({ refresh_token: token, grace: GRACE, scope: 'link:delete' }))).to.equal(
        'invalid_scope',
      )
      await signIn.revoke(token)
      expect(await codeOf(renew(token))).to.equal('invalid_grant')
    })
  })

  it('narrows the access token of a refresh, and not the next refresh', async () => {
    const first = await enter('link:read link:create')
    const narrowed = await refresh(first.refresh_token, 'link:read')
    expect(narrowed.scope).to.equal('link:read')
    expect(decodeJwt(narrowed.access_token).scope).to.equal('link:read')
    expect((await refresh(narrowed.refresh_token)).scope).to.equal('link:read link:create')
  })

  it('never widens a scope on refresh, and leaves the token usable', async () => {
    const { refresh_token: token } = await enter('link:read')
    for (const scope of ['link:delete', 'link:read link:delete', ACTIONS.join(' ')]) {
      expect(await codeOf(refresh(token, scope))).to.equal('invalid_scope')
    }
    expect((await refresh(token)).scope).to.equal('link:read')
  })

  it('refuses an expired refresh token, and one of a suspended user', async () => {
    const first = await enter()
    await suspend(ada, true)
    expect(await codeOf(refresh(first.refresh_token))).to.equal('invalid_grant')
    await suspend(ada, false)
    const { refresh_token: next } = await refresh(first.refresh_token)
    await expire()
    expect(await codeOf(refresh(next))).to.equal('invalid_grant')
  })

  it('refreshes in the last second of a sign-in, too', async () => {
    const { refresh_token: token } = await enter()
    await db.asOwner(`update refresh_tokens set expires_at = now() + interval '900 milliseconds'`)
    expect((await refresh(token)).expires_in).to.equal(1)
  })

  it('does not extend a sign-in by refreshing it', async () => {
    const { refresh_token: token } = await enter()
    await refresh((await refresh(token)).refresh_token)
    const ends = (await storedTokens()).map(({ expires_at }) => expires_at.toISOString())
    expect(ends).to.have.length(3)
    expect(new Set(ends).size).to.equal(1)
  })

  for (const token of [
    '',
    'x',
    'a'.repeat(42),
    'a'.repeat(44),
    '!'.repeat(43),
    `${'a'.repeat(42)}\n`,
    randomBytes(32).toString('base64url'),
  ]) {
    it(`refuses a refresh token of the form ${JSON.stringify(token.slice(0, 10))} (${token.length})`, async () => {
      expect(await codeOf(refresh(token))).to.equal('invalid_grant')
      await signIn.revoke(token)
    })
  }

  it('signs out: the token and all others of its sign-in end', async () => {
    const first = await enter()
    const second = await refresh(first.refresh_token)
    await signIn.revoke(first.refresh_token)
    expect(await codeOf(refresh(second.refresh_token))).to.equal('invalid_grant')
    await signIn.revoke(first.refresh_token)
  })

  it('leaves no live token where a revocation and refreshes race', async () => {
    for (let round = 0; round < 10; round++) {
      let { refresh_token: token } = await enter()
      const holder = (async () => {
        for (;;) ({ refresh_token: token } = await refresh(token))
      })().catch((error: unknown) => error)
      await signIn.revoke(token)
      expect(await holder).to.include({ code: 'invalid_grant' })
      expect(await codeOf(refresh(token))).to.equal('invalid_grant')
    }
  })

  it('refuses a sign-in whose password changed, or whose user was suspended, while it was verified', async () => {
    for (const change of [() => setPassword(ada, 'battery staple'), () => suspend(ada, true)]) {
      const late = createTestSignIn(async () => {
        await change()
        return true
      })
      expect(await codeOf(late.password({ username: 'ada@example.org', password: 'correct horse' }))).to.equal(
        'invalid_grant',
      )
    }
    expect(await storedTokens()).to.deep.equal([])
  })

  it('waits for a change of the password that is about to commit, and is refused then', async () => {
    const changing = new Client(db.owner)
    await changing.connect()
    try {
      await changing.query('begin')
      await changing.query('update users set password_hash = $2 where id = $1', [ada, hashFor('battery staple')])
      const refused = codeOf(enter())
      await lockWaiters(db.asOwner)
      await changing.query('commit')
      expect(await refused).to.equal('invalid_grant')
      expect(await storedTokens()).to.deep.equal([])
    } finally {
      await changing.end()
    }
  })

  it('holds up no deletion of its user, and is refused when they are gone', async () => {
    const { refresh_token: token } = await enter()
    const deleting = new Client(db.owner)
    await deleting.connect()
    try {
      await deleting.query('begin')
      // as a deletion does before it takes the user's links
      await deleting.query('select from users where id = $1 for update', [ada])
      const refused = codeOf(refresh(token))
      await lockWaiters(db.asOwner)
      await deleting.query('delete from users where id = $1', [ada])
      await deleting.query('commit')
      expect(await refused).to.equal('invalid_grant')
    } finally {
      await deleting.end()
    }
  })
})

describe('the table of sign-ins', () => {
  it('is closed to the role of the service, and to the roles of a request', async () => {
    for (const statement of ['select from refresh_tokens', 'delete from refresh_tokens']) {
      expect(await database.run({ text: statement }).catch((error: unknown) => error)).to.include({ code: '42501' })
      for (const role of ['links_own', 'links_any', 'users_any', 'policy_editor', 'audit_reader']) {
        const refused: unknown = await database
          .flush([{ text: 'select enter($1, 1)', values: [role] }, { text: statement }])
          .catch((error: unknown) => error)
        expect(refused, role).to.include({ code: '42501' })
      }
    }
  })

  it('shows and ends a user’s own sign-ins alone, whatever the statement says, and shows no hash', async () => {
    await db.asOwner('truncate users cascade')
    const [mine, theirs] = [await addUser('a@example.org', 'pw'), await addUser('b@example.org', 'pw')]
    const signIn = createTestSignIn()
    for (const email of ['a', 'b', 'b']) await signIn.password({ username: `${email}@example.org`, password: 'pw' })
    const as = (user: Id | null, text: string) =>
      database.flush([
        { text: 'select enter($1, $2)', values: ['users_own', user] },
        { text: `select set_config('app.decision', $1, true)`, values: [BY_HAND] },
        { text },
      ])
    for (const [user, count] of [
      [mine, 1],
      [theirs, 2],
      [null, 0],
    ] as const)
      expect((await as(user, 'select user_id from refresh_tokens'))[2]?.rows).to.deep.equal(
        Array.from({ length: count }, () => ({ user_id: user })),
      )
    for (const text of [
      'select token_hash from refresh_tokens',
      'select used_at from refresh_tokens',
      'delete from refresh_tokens',
      `update refresh_tokens set expires_at = now() + interval '1 year'`,
    ])
      expect(await as(mine, text).catch((error: unknown) => error), text).to.include({ code: '42501' })
    await as(mine, 'update refresh_tokens set revoked_at = now()')
    expect(await db.asOwner('select user_id from refresh_tokens where revoked_at is not null')).to.deep.equal([
      { user_id: mine },
    ])
  })

  it('has forced row-level security, and lets no role change what a token grants', async () => {
    const [row] = await db.asOwner<{ forced: boolean; enabled: boolean }>(
      `select relforcerowsecurity as forced, relrowsecurity as enabled from pg_class where relname = 'refresh_tokens'`,
    )
    expect(row).to.deep.equal({ forced: true, enabled: true })
    const refused: unknown = await database
      .flush([{ text: `select enter('identity', null)` }, { text: `update refresh_tokens set scope = 'policy:write'` }])
      .catch((error: unknown) => error)
    expect(refused).to.include({ code: '42501' })
  })

  it('has a token reused, and its sign-in ended, where another rotation won while this one waited', async () => {
    await addUser('bea@example.org', 'correct horse')
    const signIn = createTestSignIn()
    const { refresh_token: token } = await signIn.password({ username: 'bea@example.org', password: 'correct horse' })
    const holder = new Client(db.owner)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select from refresh_tokens for update')
      const both = Promise.allSettled([
        signIn.refresh({ refresh_token: token }),
        signIn.refresh({ refresh_token: token }),
      ])
      await lockWaiters(db.asOwner, 2)
      await holder.query('commit')
      const won = (await both).flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      expect(won).to.have.length(1)
      expect(await codeOf(signIn.refresh({ refresh_token: won[0]?.refresh_token ?? '' }))).to.equal('invalid_grant')
    } finally {
      await holder.end()
    }
  })

  it('has no successor of a token that is revoked while its rotation waits', async () => {
    await db.asOwner('truncate refresh_tokens')
    await addUser('cleo@example.org', 'correct horse')
    const signIn = createTestSignIn()
    const { refresh_token: token } = await signIn.password({ username: 'cleo@example.org', password: 'correct horse' })
    const revoking = new Client(db.owner)
    await revoking.connect()
    try {
      await revoking.query('begin')
      await revoking.query('update refresh_tokens set revoked_at = now()')
      const refused = codeOf(signIn.refresh({ refresh_token: token }))
      await lockWaiters(db.asOwner)
      await revoking.query('commit')
      expect(await refused).to.equal('invalid_grant')
      expect(await storedTokens()).to.have.length(1)
    } finally {
      await revoking.end()
    }
  })

  it('loses the expired tokens of a user who signs in', async () => {
    await db.asOwner('truncate refresh_tokens')
    await addUser('eve@example.org', 'correct horse')
    const signIn = createTestSignIn()
    const enter = () => signIn.password({ username: 'eve@example.org', password: 'correct horse' })
    await enter()
    await expire()
    await enter()
    expect(await storedTokens()).to.have.length(1)
  })
})
