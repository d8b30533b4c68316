import { userInfo } from 'node:os'

import { expect } from 'chai'
import { decodeJwt } from 'jose'

import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { runCommand } from '../support/cli.js'
import { textAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { startTestService, type TestService } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

const PASSWORD = 'correct horse battery'

interface Entry extends Record<string, unknown> {
  readonly request_id: string
  readonly subject_id: string | null
  readonly network: string | null
  readonly resource_code: string | null
  readonly change: Readonly<Record<string, unknown>>
}

describe('the log of accounts', () => {
  let service: TestService
  let environment: Readonly<Record<string, string>>
  let user: { readonly id: string; readonly email: string }

  before(async () => {
    const dataDir = await makeTemporaryFolder()
    service = await startTestService({ environment: { DATA_DIR: dataDir } })
    environment = { ...onDatabase(service.db.service, service.db.owner), DATA_DIR: dataDir }
    user = await createAccounts(service.database).add({
      email: 'ada@example.com',
      role: 'editor',
      name: 'Ada',
      passwordHash: await (await createPasswords()).hash(PASSWORD),
    })
  })
  after(() => service.stop())

  const entries = (what: string): Promise<readonly Entry[]> =>
    service.db.asOwner<Entry>(
      `select request_id, subject_id, network, resource_code, change from decisions
        where kind = 'user' and change ->> 'what' = $1 order by id`,
      [what],
    )
  const one = async (what: string): Promise<Entry> => {
    const found = await entries(what)
    expect(found, what).to.have.length(1)
    const [entry] = found
    if (entry === undefined) throw new Error(what)
    return entry
  }
  const signIn = (json: Readonly<Record<string, string>>) => service.request('POST', '/auth/token', { json })
  const withPassword = (username: string, password: string) => signIn({ grant_type: 'password', username, password })

  it('has a sign-in once, with the request, the user and the network; its refreshes are none', async () => {
    const answer = await withPassword(user.email, PASSWORD)
    expect(answer.status).to.equal(200)
    const refreshed = await signIn({ grant_type: 'refresh_token', refresh_token: textAt(answer.json, 'refresh_token') })
    expect(refreshed.status).to.equal(200)
    const entry = await one('signed in')
    expect(entry).to.deep.include({
      request_id: answer.headers.get('X-Request-ID'),
      subject_id: user.id,
      network: '127.0.0.0/24',
      resource_code: user.id,
    })
    expect(entry.change['sign_in']).to.equal(decodeJwt(textAt(answer.json, 'access_token'))['sid'])
  })

  it('has every sign-in that was refused, with the account that was tried, and nothing that was typed', async () => {
    const suspended = await service.addUser('editor')
    await createAccounts(service.database).setSuspended(suspended.id, true)
    const typed = 'my password, in the wrong field'
    const spent = await withPassword(user.email, PASSWORD)
    const token = textAt(spent.json, 'refresh_token')
    await signIn({ grant_type: 'refresh_token', refresh_token: token })
    const tried = [
      [await withPassword(user.email, 'a wrong password'), user.id, 'password'],
      [await withPassword(suspended.email, PASSWORD), suspended.id, 'password'],
      [await withPassword('nobody@example.com', PASSWORD), null, 'password'],
      [await withPassword(typed, PASSWORD), null, 'password'],
      [await signIn({ grant_type: 'refresh_token', refresh_token: token }), user.id, 'refresh_token'],
      [await signIn({ grant_type: 'refresh_token', refresh_token: 'A'.repeat(43) }), null, 'refresh_token'],
    ] as const
    const found = await entries('sign-in refused')
    expect(
      found.map(({ request_id, subject_id, network, resource_code, change }) => ({
        request_id,
        subject_id,
        network,
        resource_code,
        change,
      })),
    ).to.deep.equal(
      tried.map(([{ headers, status }, account, grant]) => {
        expect(status).to.equal(400)
        return {
          request_id: headers.get('X-Request-ID'),
          subject_id: null,
          network: '127.0.0.0/24',
          resource_code: account,
          change: { what: 'sign-in refused', with: grant },
        }
      }),
    )
    const [row] = await service.db.asOwner('select string_agg(decisions::text, $1) as everything from decisions', [
      '\n',
    ])
    for (const secret of [typed, 'nobody@example.com', user.email, PASSWORD])
      expect(String(row?.['everything'])).to.not.include(secret)
  })

  it('has the end of a sign-in once, by a sign-out or by a token that came back, and of which', async () => {
    const begin = async () => {
      const { json } = await withPassword(user.email, PASSWORD)
      const [access, token] = [textAt(json, 'access_token'), textAt(json, 'refresh_token')]
      return {
        signIn: decodeJwt(access)['sid'],
        token,
        refresh: () => signIn({ grant_type: 'refresh_token', refresh_token: token }),
      }
    }
    const revoke = (token: string) => service.request('POST', '/auth/revoke', { json: { token } })
    const [left, copied, kept] = [await begin(), await begin(), await begin()]
    await left.refresh()
    const out = await revoke(left.token)
    await revoke(left.token)
    await copied.refresh()
    const back = await copied.refresh()
    await copied.refresh()
    await revoke('A'.repeat(43))
    for (const [what, signIn, { headers }] of [
      ['signed out', left.signIn, out],
      ['refresh token reused', copied.signIn, back],
    ] as const) {
      const found = (await entries(what)).filter(({ change }) => change['sign_in'] === signIn)
      expect(found, what).to.have.length(1)
      expect(found[0]).to.deep.include({
        request_id: headers.get('X-Request-ID'),
        network: '127.0.0.0/24',
        resource_code: user.id,
        change: { what, sign_in: signIn },
      })
    }
    expect((await kept.refresh()).status).to.equal(200)
  })

  it('has the tokens and the links of the command line, with the system’s user', async () => {
    const by = `${service.db.service.user} linkgate command line, ${userInfo().username}`
    const external = { ...environment, JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'https://links.example' }
    const run = async (args: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> => {
      const { code, out, err } = await runCommand(args, { environment: settings })
      expect(code, err).to.equal(0)
      return out.trim()
    }

    const signed = await run(['token', '--user', user.email, '--scope', 'link:read', '--ttl', '60'], environment)
    const { jti, exp } = decodeJwt(signed)
    const token = await one('token signed')
    expect(token.resource_code).to.equal(user.id)
    expect(token.change).to.deep.include({ by, token_id: jti, scopes: ['link:read'] })
    expect(Date.parse(String(token.change['expires_at'])) / 1_000).to.be.closeTo(exp ?? 0, 2)

    await run(['user', 'link', user.email, '--subject', 'ada@issuer.example'], external)
    const linked = await one('subject linked')
    expect(linked.resource_code).to.equal(user.id)
    expect(linked.change).to.deep.equal({ what: 'subject linked', issuer: 'https://issuer.example', by })

    await run(['token', '--user', user.email, '--scope', 'link:read'], external)
    const [{ id } = { id: '' }] = await service.db.asOwner<{ id: string }>('select id from personal_tokens')
    const personal = await one('personal token added')
    expect(personal.resource_code).to.equal(user.id)
    expect(personal.change).to.deep.include({ by, token_id: `personal:${id}`, scopes: ['link:read'] })
  })

  it('has what somebody with the login adds by SQL', async () => {
    await service.database.flush([
      { text: `select enter('identity', null)` },
      {
        text: `insert into personal_tokens (user_id, name, token_hash, scopes, expires_at)
               values ($1, 'mine', sha256('x'), '{link:read}', now() + interval '1 day')`,
        values: [user.id],
      },
      {
        text: `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
               values (gen_random_uuid(), $1, sha256('y'), 'link:read', now() + interval '1 day')`,
        values: [user.id],
      },
      { text: `insert into external_identities values ('https://evil.example', 'me', $1)`, values: [user.id] },
    ])
    for (const what of ['personal token added', 'signed in', 'subject linked']) {
      const entry = (await entries(what)).at(-1)
      expect(entry?.change['by'], what).to.match(new RegExp(`^${service.db.service.user}`))
      expect(entry?.resource_code).to.equal(user.id)
    }
  })

  it('is whole: a token that cannot be recorded is not printed', async () => {
    await service.db.asOwner(`alter function record_signed_token rename to record_signed_token_gone`)
    try {
      const { code, out } = await runCommand(['token', '--user', user.email], { environment })
      expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    } finally {
      await service.db.asOwner(`alter function record_signed_token_gone rename to record_signed_token`)
    }
    const { code, out } = await runCommand(['audit', 'verify'], { environment })
    expect(out).to.match(/^intact/)
    expect(code).to.equal(0)
  })
})
