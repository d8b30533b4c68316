import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { Client } from 'pg'

import { openPool } from '../../src/database/pool.js'
import type { Database } from '../../src/database/database.js'
import { ACTIONS } from '../../src/domain/action.js'
import { isId } from '../../src/domain/id.js'
import type { Id } from '../../src/domain/id.js'
import { Refusal } from '../../src/domain/refusal.js'
import { createIssuer } from '../../src/identity/issuer.js'
import type { Issuer } from '../../src/identity/issuer.js'
import { createSignIn } from '../../src/identity/sign-in.js'
import type { SignIn, SignInStore, TokenAnswer } from '../../src/identity/sign-in.js'
import { createSignInStore } from '../../src/identity/sign-in-store.js'
import { loadSigningKey } from '../../src/identity/signing-key.js'
import { testDatabase } from '../support/database.js'
import type { TestDatabase } from '../support/database.js'
import { memorySignInStore } from '../support/memory-sign-in-store.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

/** A store and what a test does behind its back. */
interface Bench {
  readonly store: SignInStore
  addUser(email: string, password: string | null): Promise<Id>
  setPassword(id: Id, password: string): Promise<void>
  suspend(id: Id, suspended: boolean): Promise<void>
  expire(): Promise<void>
  /** everything that is stored of tokens, as text */
  dump(): Promise<string>
}

const hashFor = (password: string) => `hash of ${password}`

const memoryBench = async (): Promise<Bench> => {
  const store = memorySignInStore()
  let next = 9_007_199_254_740_993n
  const change = (id: Id, values: { readonly suspended?: boolean; readonly passwordHash?: string }) => {
    for (const [email, account] of store.accounts)
      if (account.id === id) store.accounts.set(email, { ...account, ...values })
  }
  return {
    store,
    addUser: async (email, password) => {
      const id = toId(String(next++))
      store.accounts.set(email.toLowerCase(), {
        id,
        passwordHash: password === null ? null : hashFor(password),
        suspended: false,
      })
      return id
    },
    setPassword: async (id, password) => change(id, { passwordHash: hashFor(password) }),
    suspend: async (id, suspended) => change(id, { suspended }),
    expire: async () => {
      for (const [key, token] of store.tokens) store.tokens.set(key, { ...token, expiresAt: new Date(0) })
    },
    dump: async () =>
      JSON.stringify(
        [...store.tokens.values()].map(({ tokenHash, ...token }) => ({ ...token, hash: tokenHash.toString('hex') })),
      ),
  }
}

const databaseBench = ({ asOwner }: TestDatabase, database: Database): Bench => ({
  store: createSignInStore(database),
  addUser: async (email, password) => {
    const [row] = await asOwner<{ id: string }>(
      `insert into users (email, role, password_hash) values ($1, 'editor', $2) returning id`,
      [email, password === null ? null : hashFor(password)],
    )
    return toId(row?.id)
  },
  setPassword: async (id, password) => {
    await asOwner('update users set password_hash = $2 where id = $1', [id, hashFor(password)])
  },
  suspend: async (id, suspended) => {
    await asOwner('update users set suspended_at = case when $2 then now() end where id = $1', [id, suspended])
  },
  expire: async () => {
    await asOwner(`update refresh_tokens set expires_at = now()`)
  },
  dump: async () =>
    JSON.stringify(await asOwner(`select t.*, encode(token_hash, 'hex') as hash from refresh_tokens t`)),
})

const toId = (id: unknown): Id => {
  if (!isId(id)) throw new Error('not an id')
  return id
}

const refusalOf = async (promise: Promise<unknown>): Promise<Refusal> => {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (outcome instanceof Refusal) return outcome
  throw outcome instanceof Error ? outcome : new Error('was not refused')
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => (await refusalOf(promise)).code

let issuer: Issuer
let database: Database | undefined
before(async () => {
  issuer = createIssuer({
    issuer: 'http://127.0.0.1:3000',
    audience: 'linkgate',
    key: await loadSigningKey(join(await makeTemporaryFolder(), 'key.pem')),
  })
})
after(() => database?.close())

let testDb: TestDatabase
const STORES: Readonly<Record<string, () => Promise<Bench>>> = {
  'a store in memory': memoryBench,
  PostgreSQL: async () => {
    if (database === undefined) {
      testDb = await testDatabase()
      database = openPool({ connection: testDb.service, size: 8, deadlineMs: 5_000 })
    }
    await testDb.asOwner('truncate users cascade')
    return databaseBench(testDb, database)
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`sign-in over ${name}`, () => {
    let bench: Bench
    let signIn: SignIn
    let ada: Id
    /** what each password check was given */
    let checks: { readonly hash: string | null | undefined; readonly password: string }[]

    beforeEach(async () => {
      bench = await open()
      checks = []
      signIn = createSignIn({
        store: bench.store,
        issuer,
        passwords: {
          hash: async (password) => hashFor(password),
          verify: async (hash, password) => {
            checks.push({ hash, password })
            return hash === hashFor(password)
          },
        },
      })
      ada = await bench.addUser('Ada@example.org', 'correct horse')
    })

    const enter = (scope?: string): Promise<TokenAnswer> =>
      signIn.password({ username: 'ada@EXAMPLE.org', password: 'correct horse', scope })
    const refresh = (token: string, scope?: string): Promise<TokenAnswer> =>
      signIn.refresh({ refresh_token: token, scope })

    it('gives what RFC 6749 says, for 15 minutes, with every scope of the service', async () => {
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

    it('gives the scopes that were asked for and no others', async () => {
      const answer = await enter('link:read link:create link:read')
      expect(answer.scope).to.equal('link:read link:create')
      expect(decodeJwt(answer.access_token).scope).to.equal('link:read link:create')
    })

    it('gives no scope for an empty scope, also after a refresh', async () => {
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

    it('answers an unknown address, a wrong password, no password, a suspended account and a bad address alike', async () => {
      await bench.addUser('invited@example.org', null)
      await bench.suspend(await bench.addUser('gone@example.org', 'correct horse'), true)
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
      expect(JSON.parse(await bench.dump())).to.deep.equal([])
    })

    it('does the work of a password check for accounts that are not there, too', async () => {
      for (const username of ['nobody@example.org', 'no address', `${'a'.repeat(300)}@example.org`]) {
        await codeOf(signIn.password({ username, password: 'correct horse' }))
      }
      expect(checks).to.deep.equal(Array.from({ length: 3 }, () => ({ hash: undefined, password: 'correct horse' })))
    })

    it('stores no token, only its SHA-256', async () => {
      const first = await enter()
      const second = await refresh(first.refresh_token)
      const dump = await bench.dump()
      for (const { refresh_token: token, access_token: access } of [first, second]) {
        expect(dump).to.not.include(token)
        expect(dump).to.not.include(Buffer.from(token, 'base64url').toString('hex'))
        expect(dump).to.not.include(access)
        expect(dump).to.include(createHash('sha256').update(token).digest('hex'))
      }
    })

    it('goes on with refresh tokens, a new one each time', async () => {
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

    it('ends the whole sign-in when a token that was rotated comes back', async () => {
      const first = await enter()
      const second = await refresh(first.refresh_token)
      const third = await refresh(second.refresh_token)
      expect(await codeOf(refresh(first.refresh_token))).to.equal('invalid_grant')
      for (const token of [first, second, third])
        expect(await codeOf(refresh(token.refresh_token))).to.equal('invalid_grant')
    })

    it('leaves other sign-ins of the same user alone when one is ended', async () => {
      const [one, other] = [await enter(), await enter()]
      await refresh(one.refresh_token)
      expect(await codeOf(refresh(one.refresh_token))).to.equal('invalid_grant')
      expect((await refresh(other.refresh_token)).token_type).to.equal('Bearer')
    })

    it('lets one of 10 refreshes of one token at the same time win, and ends the sign-in', async () => {
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

    it('narrows the access token of a refresh, and leaves the next refresh what was granted', async () => {
      const first = await enter('link:read link:create')
      const narrowed = await refresh(first.refresh_token, 'link:read')
      expect(narrowed.scope).to.equal('link:read')
      expect(decodeJwt(narrowed.access_token).scope).to.equal('link:read')
      expect((await refresh(narrowed.refresh_token)).scope).to.equal('link:read link:create')
    })

    it('never widens a scope on refresh, and the token can still be used', async () => {
      const { refresh_token: token } = await enter('link:read')
      for (const scope of ['link:delete', 'link:read link:delete', ACTIONS.join(' ')]) {
        expect(await codeOf(refresh(token, scope))).to.equal('invalid_scope')
      }
      expect((await refresh(token)).scope).to.equal('link:read')
    })

    it('takes a refresh token neither after its end nor from a suspended user', async () => {
      const first = await enter()
      await bench.suspend(ada, true)
      expect(await codeOf(refresh(first.refresh_token))).to.equal('invalid_grant')
      await bench.suspend(ada, false)
      const { refresh_token: next } = await refresh(first.refresh_token)
      await bench.expire()
      expect(await codeOf(refresh(next))).to.equal('invalid_grant')
    })

    it('keeps the end of a sign-in where it was, however often it is refreshed', async () => {
      const { refresh_token: token } = await enter()
      await refresh((await refresh(token)).refresh_token)
      const ends = (JSON.parse(await bench.dump()) as unknown[]).map((row) =>
        JSON.stringify(Object.entries(row ?? {}).filter(([field]) => field.startsWith('expires'))),
      )
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
      it(`refuses the refresh token ${JSON.stringify(token.slice(0, 10))} (${token.length}), and takes its revocation for done`, async () => {
        expect(await codeOf(refresh(token))).to.equal('invalid_grant')
        await signIn.revoke(token)
      })
    }

    it('signs out: the token and all that came of its sign-in are over', async () => {
      const first = await enter()
      const second = await refresh(first.refresh_token)
      await signIn.revoke(first.refresh_token)
      expect(await codeOf(refresh(second.refresh_token))).to.equal('invalid_grant')
      await signIn.revoke(first.refresh_token)
    })

    it('leaves no token alive where a revocation and refreshes meet', async () => {
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

    it('makes no sign-in with a password that was changed, or for a user who was suspended, while it was checked', async () => {
      for (const change of [() => bench.setPassword(ada, 'battery staple'), () => bench.suspend(ada, true)]) {
        const late = createSignIn({
          store: bench.store,
          issuer,
          passwords: {
            hash: async (password) => hashFor(password),
            verify: async () => {
              await change()
              return true
            },
          },
        })
        expect(await codeOf(late.password({ username: 'ada@example.org', password: 'correct horse' }))).to.equal(
          'invalid_grant',
        )
      }
      expect(JSON.parse(await bench.dump())).to.deep.equal([])
    })
  })
}

describe('the table of sign-ins', () => {
  before(async () => {
    await STORES['PostgreSQL']?.()
  })

  it('is not there for the service’s own role, nor for the roles of a request', async () => {
    if (database === undefined) throw new Error('no database')
    for (const statement of [`select from refresh_tokens`, `delete from refresh_tokens`]) {
      expect(await database.run({ text: statement }).catch((error: unknown) => error)).to.include({ code: '42501' })
      for (const role of ['links_own', 'links_any', 'users_own', 'users_any', 'policy_editor', 'audit_reader']) {
        const refused: unknown = await database
          .flush([{ text: 'select enter($1, 1)', values: [role] }, { text: statement }])
          .catch((error: unknown) => error)
        expect(refused, role).to.include({ code: '42501' })
      }
    }
  })

  it('has forced row-level security, and lets no role change what a token grants', async () => {
    const [row] = await testDb.asOwner<{ forced: boolean; enabled: boolean }>(
      `select relforcerowsecurity as forced, relrowsecurity as enabled from pg_class where relname = 'refresh_tokens'`,
    )
    expect(row).to.deep.equal({ forced: true, enabled: true })
    const refused: unknown = await database
      ?.flush([{ text: 'select enter_identity()' }, { text: `update refresh_tokens set scope = 'policy:write'` }])
      .catch((error: unknown) => error)
    expect(refused).to.include({ code: '42501' })
  })

  it('takes a token that another rotation won while this one waited for the row as reused, and ends the sign-in', async () => {
    if (database === undefined) throw new Error('no database')
    const bench = databaseBench(testDb, database)
    await bench.addUser('bea@example.org', 'correct horse')
    const signIn = createSignIn({
      store: bench.store,
      issuer,
      passwords: { hash: async (password) => password, verify: async () => true },
    })
    const { refresh_token: token } = await signIn.password({ username: 'bea@example.org', password: 'correct horse' })
    const holder = new Client(testDb.owner)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select from refresh_tokens for update')
      const both = Promise.allSettled([
        signIn.refresh({ refresh_token: token }),
        signIn.refresh({ refresh_token: token }),
      ])
      const waiting = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await testDb.asOwner<{ n: number }>(waiting))[0]?.n !== 2)
        await new Promise((resolve) => setImmediate(resolve))
      await holder.query('commit')
      const answers = await both
      const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      expect(won).to.have.length(1)
      expect(await codeOf(signIn.refresh({ refresh_token: won[0]?.refresh_token ?? '' }))).to.equal('invalid_grant')
    } finally {
      await holder.end()
    }
  })

  it('is swept of what has ended when the user signs in', async () => {
    if (database === undefined) throw new Error('no database')
    const bench = databaseBench(testDb, database)
    await testDb.asOwner('truncate refresh_tokens')
    await bench.addUser('eve@example.org', 'correct horse')
    const signIn = createSignIn({
      store: bench.store,
      issuer,
      passwords: { hash: async (password) => password, verify: async () => true },
    })
    const enter = () => signIn.password({ username: 'eve@example.org', password: 'correct horse' })
    await enter()
    await bench.expire()
    await enter()
    expect(JSON.parse(await bench.dump())).to.have.length(1)
  })
})
