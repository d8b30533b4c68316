import { join } from 'node:path'

import { expect } from 'chai'
import { decodeJwt } from 'jose'

import { ACTIONS } from '../../src/domain/action.js'
import { runCommand, type CliAnswer } from '../support/cli.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { at, textAt } from '../support/json.js'
import { onDatabase } from '../support/node.js'
import { startTestService } from '../support/service.js'
import { madeSigningKey } from '../support/signing-key.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('linkgate user and linkgate token', () => {
  let db: TestDatabase
  let environment: Readonly<Record<string, string>>
  before(async () => {
    db = await testDatabase()
    environment = { ...onDatabase(db.service, db.owner), DATA_DIR: await makeTemporaryFolder() }
    await madeSigningKey(join(environment['DATA_DIR'] ?? '', 'signing-key.pem'))
  })

  const run = (
    args: readonly string[],
    stdin?: string | Buffer,
    more: Readonly<Record<string, string>> = {},
  ): Promise<CliAnswer> =>
    runCommand(args, { environment: { ...environment, ...more }, ...(stdin === undefined ? {} : { stdin }) })
  const done = async (
    args: readonly string[],
    stdin?: string | Buffer,
    more?: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const { code, out, err } = await run(args, stdin, more)
    expect({ code, err }, args.join(' ')).to.deep.equal({ code: 0, err: '' })
    return out
  }
  const user = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await done(['user', ...args]))
  const refused = async (
    code: number,
    args: readonly string[],
    stdin?: string | Buffer,
    more?: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const answer = await run(args, stdin, more)
    expect({ code: answer.code, out: answer.out }, answer.err).to.deep.equal({ code, out: '' })
    expect(answer.err).to.match(/^linkgate: [^\n]+\n$/)
    return answer.err
  }

  it('adds users and prints them as JSON, without a password', async () => {
    const added = await user('add', '--email', 'Root@example.com', '--role', 'admin', '--name', 'Root')
    expect(Object.keys(Object(added)).sort()).to.deep.equal(['created_at', 'email', 'id', 'name', 'role', 'suspended'])
    expect(added).to.include({ email: 'Root@example.com', role: 'admin', name: 'Root', suspended: false })
    expect(await refused(1, ['user', 'add', '--email', 'root@EXAMPLE.com', '--role', 'viewer'])).to.include('taken')
  })

  it('lists users, one JSON object per line', async () => {
    await user('add', '--email', 'ada@example.com', '--role', 'editor')
    const lines = (await done(['user', 'list']))
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines.map((line) => at(line, 'email'))).to.deep.equal(['Root@example.com', 'ada@example.com'])
  })

  it('changes roles and suspensions, by id or by address in any case', async () => {
    const ada = await user('role', 'ADA@example.com', 'viewer')
    expect(ada).to.include({ role: 'viewer' })
    expect(await user('suspend', textAt(ada, 'id'))).to.include({ suspended: true })
    expect(await user('suspend', 'ada@example.com')).to.include({ suspended: true })
    expect(await refused(1, ['token', '--user', 'ada@example.com'])).to.include('suspended')
    expect(await user('suspend', '--undo', 'ada@example.com')).to.include({ suspended: false })
  })

  it('refuses to demote or suspend the last active admin, with exit code 1', async () => {
    for (const args of [
      ['user', 'role', 'root@example.com', 'editor'],
      ['user', 'suspend', 'root@example.com'],
    ]) {
      expect(await refused(1, args)).to.include('last active admin')
    }
    expect(await user('role', 'root@example.com', 'admin')).to.include({ role: 'admin', suspended: false })
  })

  it('refuses bad usage with exit code 2, and unknown users with 1', async () => {
    for (const args of [
      ['user'],
      ['user', 'role', 'ada@example.com'],
      ['user', 'role', 'ada@example.com', 'Admin'],
      ['user', 'role', 'ada@example.com', 'user'],
      ['user', 'add', '--email', 'no address', '--role', 'viewer'],
      ['user', 'add', '--email', 'x@example.com'],
      ['user', 'password', 'ada@example.com'],
      ['user', 'add', '--email', 'x@example.com', '--role', 'viewer', '--name', 'n'.repeat(201)],
      ['user', 'add', '--email', 'x@example.com', '--role', 'viewer', '--name', 'two\nlines'],
      ['user', 'remove', 'ada@example.com'],
      ['user', 'link', 'ada@example.com', '--subject', 'ada'],
      ['user', 'add', '--email', 'x@example.com', '--role', 'viewer', '--subject', 'x'],
      ['token'],
      ['token', '--user', 'ada@example.com', '--scope', 'everything'],
      ['token', '--user', 'ada@example.com', '--ttl', '86401'],
    ]) {
      const answer = await run(args)
      expect(answer.code, `${args.join(' ')}: ${answer.err}`).to.equal(2)
    }
    for (const args of [
      ['user', 'role', '4611686018427387904', 'viewer'],
      ['user', 'suspend', 'nobody@example.com'],
      ['token', '--user', 'nobody'],
    ]) {
      expect(await refused(1, args)).to.include('there is no user')
    }
  })

  it('sets passwords, and ends all sign-ins', async () => {
    await done(['user', 'password', 'ada@example.com', '--password-stdin'], 'a first password\n')
    const service = await startTestService({ db, environment: { DATA_DIR: environment['DATA_DIR'] ?? '' } })
    const signIn = (password: string) =>
      service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: 'ada@example.com', password },
      })
    try {
      const first = await signIn('a first password')
      expect(first.status, first.text).to.equal(200)
      const token = textAt(first.json, 'access_token')
      expect((await service.request('GET', '/users/me', { token })).status).to.equal(200)
      await done(['user', 'password', 'ada@example.com', '--password-stdin'], 'a second password')
      expect((await service.request('GET', '/users/me', { token })).status).to.equal(401)
      expect((await signIn('a first password')).status).to.equal(400)
      expect((await signIn('a second password')).status).to.equal(200)
      expect(await refused(1, ['user', 'password', 'ada@example.com', '--password-stdin'], 'short')).to.include(
        'password',
      )

      const printed = (
        await done(['token', '--user', 'ada@example.com', '--scope', 'profile:read', '--ttl', '60'])
      ).trimEnd()
      expect(decodeJwt(printed)).to.include({ scope: 'profile:read' })
      expect((await service.request('GET', '/users/me', { token: printed })).status).to.equal(200)
      expect((await service.request('PATCH', '/users/me', { token: printed, json: {} })).status).to.equal(403)
    } finally {
      await service.stop()
    }
  })

  it('adds a user with a password from standard input, but none with a short one', async () => {
    await done(['user', 'add', '--email', 'bob@example.com', '--role', 'viewer', '--password-stdin'], 'a long password')
    await refused(1, ['user', 'add', '--email', 'carl@example.com', '--role', 'viewer', '--password-stdin'], 'short')
    expect(
      await db.asOwner(
        `select email from users where password_hash is not null and email in ('bob@example.com', 'carl@example.com')`,
      ),
    ).to.deep.equal([{ email: 'bob@example.com' }])
  })

  it('refuses a password in another encoding than UTF-8, with which nobody could sign in', async () => {
    const latin1 = Buffer.from('pässwörter genug', 'latin1')
    const add = ['user', 'add', '--email', 'latin@example.com', '--role', 'viewer', '--password-stdin']
    expect(await refused(2, add, latin1)).to.include('UTF-8')
    await done(add, latin1.toString('latin1'))
    expect(await refused(2, ['user', 'password', 'latin@example.com', '--password-stdin'], latin1)).to.include('UTF-8')
  })

  it('links subjects of an external issuer to one user each, and prints personal tokens', async () => {
    const external = { JWT_ISSUER: 'http://127.0.0.1:9', JWT_AUDIENCE: 'https://links.example.com' }
    await done(['user', 'link', 'ada@example.com', '--subject', 'idp|ada'], undefined, external)
    await done(['user', 'link', 'ada@example.com', '--subject', 'idp|ada'], undefined, external)
    expect(
      await refused(1, ['user', 'link', 'bob@example.com', '--subject', 'idp|ada'], undefined, external),
    ).to.include('linked to another user')
    await done(
      ['user', 'add', '--email', 'dora@example.com', '--role', 'editor', '--subject', 'idp|dora'],
      undefined,
      external,
    )
    await refused(
      1,
      ['user', 'add', '--email', 'emil@example.com', '--role', 'editor', '--subject', 'idp|dora'],
      undefined,
      external,
    )
    const linked = await db.asOwner(
      `select e.issuer, e.subject, u.email from external_identities e join users u on u.id = e.user_id order by 2`,
    )
    expect(linked).to.deep.equal([
      { issuer: external.JWT_ISSUER, subject: 'idp|ada', email: 'ada@example.com' },
      { issuer: external.JWT_ISSUER, subject: 'idp|dora', email: 'dora@example.com' },
    ])
    expect(await db.asOwner(`select from users where email = 'emil@example.com'`)).to.have.length(0)

    const service = await startTestService({ db, environment: external })
    try {
      const token = (await done(['token', '--user', 'ada@example.com'], undefined, external)).trimEnd()
      expect(token).to.match(/^lgp_/)
      expect((await service.request('GET', '/users/me', { token })).json).to.include({ email: 'ada@example.com' })
      const listed = await service.request('GET', '/users/me/tokens', { token })
      expect(at(listed.json, 'data', 0, 'name')).to.equal('command line')
      expect(at(listed.json, 'data', 0, 'scopes')).to.deep.equal([...ACTIONS])
      const none = (await done(['token', '--user', 'ada@example.com', '--scope', ''], undefined, external)).trimEnd()
      expect((await service.request('GET', '/users/me', { token: none })).status).to.equal(403)
    } finally {
      await service.stop()
    }
  })

  it('warns of a role that no row and no other user has, with the nearest name', async () => {
    const add = await run(['user', 'add', '--email', 'typo@example.com', '--role', 'editro'])
    expect(add).to.include({
      code: 0,
      err: 'linkgate: warning: the role editro is written nowhere else; did you mean editor?\n',
    })
    const role = await run(['user', 'role', 'typo@example.com', 'viewr'])
    expect(role.err).to.contain('did you mean viewer?')
    expect((await run(['user', 'role', 'typo@example.com', 'viewer'])).err).to.equal('')
  })
})
