import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect } from 'chai'

import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { textAt } from '../support/json.js'
import { keepLog, type KeptLog } from '../support/log.js'
import { addAccountToken } from '../support/records.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type RequestOptions, type TestResponse, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const PASSWORDS = {
  first: 'correct horse battery',
  second: 'staple & other words',
  wrong: 'a wrong pass phrase',
  accepted: 'chosen at acceptance',
} as const

describe('a secret', () => {
  let service: TestService
  let kept: KeptLog
  const secrets = new Map<string, string>()
  /** everything that was answered where no secret belongs */
  const answers: string[] = []

  /** Asks, and keeps the answer among those that may hold no secret. */
  const ask = async (method: string, path: string, options: RequestOptions = {}): Promise<TestResponse> => {
    const answer = await service.request(method, path, options)
    answers.push(JSON.stringify([...answer.headers]), answer.text)
    return answer
  }
  const keep = (what: string, secret: string): string => {
    expect(secret.length, what).to.be.greaterThan(7)
    secrets.set(what, secret)
    return secret
  }

  before(async () => {
    kept = keepLog()
    const folder = await makeTemporaryFolder()
    // a mail server that is away: what failed is logged
    service = await startTestService({
      log: kept.log,
      environment: { DATA_DIR: folder, SMTP_URL: 'smtp://mailer:the-mail-password@127.0.0.1:9' },
    })
    keep('the mail server’s password', 'the-mail-password')
    for (const [what, password] of Object.entries(PASSWORDS)) keep(`the ${what} password`, password)
    const passwords = await createPasswords()
    const passwordHash = await passwords.hash(PASSWORDS.first)
    const admin = await createAccounts(service.database).add({
      email: 'root@example.com',
      role: 'admin',
      name: 'Root',
      passwordHash,
    })

    const signIn = (password: string) =>
      service.request('POST', '/auth/token', { json: { grant_type: 'password', username: admin.email, password } })
    const first = await signIn(PASSWORDS.first)
    const token = keep('an access token', textAt(first.json, 'access_token'))
    const refreshToken = keep('a refresh token', textAt(first.json, 'refresh_token'))
    const second = await service.request('POST', '/auth/token', {
      json: { grant_type: 'refresh_token', refresh_token: refreshToken },
    })
    keep('the next refresh token', textAt(second.json, 'refresh_token'))
    keep('the next access token', textAt(second.json, 'access_token'))
    const personal = keep(
      'a personal token',
      textAt(
        (await service.request('POST', '/users/me/tokens', { token, json: { name: 'a key', scopes: ['link:read'] } }))
          .json,
        'token',
      ),
    )
    const key = { 'Idempotency-Key': keep('an idempotency key', 'a-key-of-the-caller') }
    const keyed = await service.request('POST', '/users/me/tokens', {
      token,
      json: { name: 'a key', scopes: [] },
      headers: key,
    })
    keep('a personal token under a key', textAt(keyed.json, 'token'))
    const invitation = await service.request('POST', '/users/invitations', {
      token,
      json: { email: 'ada@example.com', role: 'viewer' },
      headers: { 'Idempotency-Key': 'another-key' },
    })
    const { pathname } = new URL(textAt(invitation.json, 'url'))
    keep('an invitation', pathname.split('/')[2] ?? '')

    const { pathname: unused } = new URL(
      textAt(
        (
          await service.request('POST', '/users/invitations', {
            token,
            json: { email: 'eve@example.com', role: 'viewer' },
          })
        ).json,
        'url',
      ),
    )
    keep('another invitation', unused.split('/')[2] ?? '')

    const link = keep('a link for a new password', await addAccountToken(service.db, admin.id))
    await ask('GET', `/auth/password/reset?token=${link}`)
    await ask('POST', '/auth/password/reset', { json: { token: link, password: 'short' } })
    await ask('POST', '/auth/password/reset', { json: { token: `${link}x`, password: PASSWORDS.wrong } })
    await ask('POST', '/auth/password/forgot', { json: { email: admin.email } })

    // every way to fail with them
    await ask('POST', pathname, { json: { name: 'Ada', password: 'short' } })
    await ask('POST', pathname, { json: { name: 'Ada', password: PASSWORDS.accepted } })
    await ask('POST', pathname, { json: { name: 'Ada', password: PASSWORDS.accepted } })
    await ask('POST', '/auth/token', {
      json: { grant_type: 'password', username: admin.email, password: PASSWORDS.wrong },
    })
    await ask('POST', '/auth/token', {
      json: { grant_type: PASSWORDS.wrong, username: admin.email, password: PASSWORDS.wrong, scope: PASSWORDS.wrong },
    })
    await ask('POST', '/auth/token', {
      json: { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'link:read' },
    })
    await ask('POST', '/auth/token', {
      body: `{"password":"${PASSWORDS.wrong}",`,
      headers: { 'Content-Type': 'application/json' },
    })
    await ask('POST', '/auth/token', {
      body: `{"password":"${PASSWORDS.wrong}","password":"${PASSWORDS.first}"}`,
      headers: { 'Content-Type': 'application/json' },
    })
    await ask('PATCH', '/users/me', {
      token: await service.tokenFor(admin),
      json: { password: PASSWORDS.second, current_password: PASSWORDS.wrong },
    })
    await ask('PATCH', '/users/me', {
      token: await service.tokenFor(admin),
      json: { password: PASSWORDS.second, current_password: PASSWORDS.first },
    })
    for (const each of [token, personal, `${token}x`, `${personal}x`, refreshToken]) {
      for (const path of ['/users/me', '/users', '/links', '/links/absent', '/users/me/tokens'])
        await ask('GET', path, { token: each })
      await ask('GET', '/links/absent', { headers: { Authorization: `Basic ${each}` } })
      await ask('POST', '/auth/revoke', { json: { token: each } })
    }
    // the whole service, asked for everything that it shows
    const adminsToken = keep('another access token', await service.tokenFor(admin))
    for (const route of service.routes) {
      if (`${route.method} ${route.path}` === 'post /users/me/tokens' || route.path === '/users/invitations') continue
      const { method, path, options } = requestOf(route, admin.id)
      await ask(method, path, { ...options, token: adminsToken })
    }
    await service.db.asOwner('alter table users rename to users_away')
    await ask('GET', '/users', { token: personal })
    await ask('POST', '/auth/token', {
      json: { grant_type: 'password', username: admin.email, password: PASSWORDS.second },
    })
    await ask('POST', unused, { json: { name: 'Eve', password: PASSWORDS.accepted } })
    await service.db.asOwner('alter table users_away rename to users')
    await kept.line('could not be sent')
    keep('the signing key', (await readFile(join(folder, 'signing-key.pem'), 'utf8')).split('\n')[1] ?? '')
  })
  after(() => service.stop())

  /** The forms in which a secret could lie somewhere. */
  const formsOf = (secret: string): readonly string[] => [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...(/^[A-Za-z0-9_-]{43}$/.test(secret) ? [Buffer.from(secret, 'base64url').toString('hex')] : []),
    // without the part that says what it is
    ...(secret.startsWith('lgp_') ? [secret.slice(4), Buffer.from(secret.slice(4), 'base64url').toString('hex')] : []),
    // the signature of a JWT: its first two parts alone are no secret, and no use either
    ...(secret.startsWith('eyJ') ? [secret.split('.')[2] ?? secret] : []),
  ]
  const found = (text: string): readonly string[] =>
    [...secrets].flatMap(([what, secret]) => (formsOf(secret).some((form) => text.includes(form)) ? [what] : []))

  it('is in no line of the log at level trace', () => {
    expect(kept.lines().length).to.be.greaterThan(2)
    expect(found(kept.lines().join(''))).to.deep.equal([])
  })

  it('is in no response but the one that hands it out, and in no error', () => {
    expect(answers.length).to.be.greaterThan(100)
    expect(
      answers.some((text) => text.includes('internal_error')),
      'faults of ours are among them',
    ).to.equal(true)
    expect(found(answers.join('\n'))).to.deep.equal([])
    expect(answers.join('\n')).to.not.match(/\$argon2|password_hash|token_hash/)
  })

  it('is in no column of the database', async () => {
    const tables = await service.db.asOwner<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'v')`,
    )
    expect(tables.map(({ name }) => name)).to.include.members([
      'users',
      'refresh_tokens',
      'personal_tokens',
      'invitations',
      'decisions',
      'external_identities',
    ])
    let rows = 0
    for (const { name } of tables) {
      const dump = await service.db.asOwner<{ line: string }>(`select t::text as line from ${name} t`)
      rows += dump.length
      expect(found(dump.map(({ line }) => line).join('\n')), name).to.deep.equal([])
    }
    expect(rows).to.be.greaterThan(10)
  })

  it('would be found if it were', () => {
    for (const [what, secret] of secrets)
      for (const form of formsOf(secret)) expect(found(`… ${form} …`)).to.include(what)
  })
})
