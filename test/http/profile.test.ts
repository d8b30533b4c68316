import { expect } from 'chai'

import { at, listAt } from '../support/json.js'
import { startTestService, type TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('R7: a profile update changes what its list names, and nothing else', () => {
  let callers: Callers
  let service: TestService

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
  })
  after(() => service.stop())

  const users = () =>
    service.db.asOwner('select id, email, name, role, suspended_at, password_hash from users order by id')
  const patch = (body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    service.request('PATCH', '/users/me', { token: callers.editor.token, body, headers })
  const fieldsOf = (json: unknown) => listAt(json, 'errors').map((fault) => at(fault, 'field'))

  const REFUSED: readonly (readonly [body: string, field: string])[] = [
    ['{"role":"admin"}', 'role'],
    ['{"name":"x","role":"admin"}', 'role'],
    ['{"id":"1"}', 'id'],
    ['{"owner_id":"1"}', 'owner_id'],
    ['{"email":"new@example.com"}', 'email'],
    ['{"suspended":false}', 'suspended'],
    ['{"suspended_at":null}', 'suspended_at'],
    ['{"password_hash":"x"}', 'password_hash'],
    ['{"version":1}', 'version'],
    ['{"created_at":"2020-01-01T00:00:00Z"}', 'created_at'],
    ['{"r\\u006fle":"admin"}', 'role'],
    ['{"\\u0072\\u006f\\u006c\\u0065":"admin"}', 'role'],
    ['{"role":"editor","role":"admin"}', 'role'],
    ['{"name":"a","name":"b"}', 'name'],
    ['{"name":"a","n\\u0061me":"b"}', 'name'],
    ['{"name":"a","role":"editor","r\\u006fle":"admin"}', 'role'],
    ['{"role":["admin"]}', 'role'],
    ['{"role":{"role":"admin"}}', 'role'],
    ['{"name":["a",{"role":"admin"}]}', 'name'],
    ['{"name":{"role":"admin"}}', 'name'],
    ['{"__proto__":{"role":"admin"}}', '__proto__'],
    ['{"__proto__":null,"name":"x"}', '__proto__'],
    ['{"constructor":{"prototype":{"role":"admin"}}}', 'constructor'],
    ['{"prototype":{}}', 'prototype'],
    ['{"toString":"x"}', 'toString'],
    ['{"ROLE":"admin"}', 'ROLE'],
    ['{"role ":"admin"}', 'role '],
    ['{"":"admin"}', ''],
    ['[{"role":"admin"}]', ''],
    ['"role=admin"', ''],
    ['null', ''],
    ['{"name":""}', 'name'],
    ['{"name":"   "}', 'name'],
    ['{"name":null}', 'name'],
    ['{"name":7}', 'name'],
    [`{"name":"${'x'.repeat(201)}"}`, 'name'],
    ['{"name":"a\\u0000b"}', 'name'],
    ['{"password":"a new password"}', 'current_password'],
    ['{"password":"short","current_password":"x"}', 'password'],
    ['{"password":"a new password","current_password":"wrong"}', 'current_password'],
    ['{"name":"x","password":"a new password","current_password":"wrong"}', 'current_password'],
  ]
  for (const [body, field] of REFUSED) {
    it(`422 naming ${JSON.stringify(field)} for ${body.slice(0, 70)}, and nothing changes`, async () => {
      const before = await users()
      const answer = await patch(body)
      expect(answer.json, answer.text).to.include({ status: 422, code: 'validation_failed' })
      expect(fieldsOf(answer.json)).to.include(field)
      expect(await users()).to.deep.equal(before)
      expect(Object.prototype).to.not.have.property('role')
    })
  }

  it('names every field that is not allowed, not the first alone', async () => {
    expect(
      fieldsOf(
        (await patch('{"role":"admin","id":"1","email":"x@example.com","owner_id":"1","suspended":false}')).json,
      ),
    ).to.have.members(['role', 'id', 'email', 'owner_id', 'suspended'])
  })

  it('415 for a form body, a text, and no type at all; nothing changes', async () => {
    const before = await users()
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/xml',
    ]) {
      expect((await patch('role=admin&name=x', { 'Content-Type': type })).json, type).to.include({
        status: 415,
        code: 'unsupported_media_type',
      })
    }
    expect((await patch('{"name":"x"}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' })).status).to.equal(415)
    expect(await users()).to.deep.equal(before)
  })

  it('a query string sets nothing: 400 naming what it holds', async () => {
    const before = await users()
    const answer = await service.request('PATCH', '/users/me?role=admin&name=x', {
      token: callers.editor.token,
      json: { name: 'Query' },
    })
    expect(answer.json).to.deep.include({
      status: 400,
      errors: ['role', 'name'].map((field) => ({ field, message: 'is not a parameter here' })),
    })
    expect(await users()).to.deep.equal(before)
  })

  it("the name is changed, in the caller's own row alone, and the role stays", async () => {
    const others = async () => (await users()).filter(({ id }) => id !== callers.editor.id)
    const before = await others()
    const answer = await patch('{"name":"  Ünïcode ✓ "}')
    expect(answer.json).to.include({ id: callers.editor.id, name: 'Ünïcode ✓', role: 'editor' })
    expect(answer.status).to.equal(200)
    expect(await others()).to.deep.equal(before)
  })

  it('is answered with what was committed, also where nobody can be looked up after that', async () => {
    await service.db.asOwner(
      `create function lose_users() returns trigger language plpgsql security definer set search_path = public as $$
       begin alter function find_user rename to find_no_user; return null; end $$`,
    )
    await service.db.asOwner(
      'create trigger lose_users after update on users for each row execute function lose_users()',
    )
    try {
      const answer = await patch('{"name":"Committed"}')
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.json).to.deep.include({ id: callers.editor.id, name: 'Committed', role: 'editor' })
    } finally {
      await service.db.asOwner('drop function lose_users cascade')
      await service.db.asOwner('alter function find_no_user rename to find_user')
    }
  })

  it('an empty change is no error and changes nothing', async () => {
    const before = await users()
    expect((await patch('{}')).status).to.equal(200)
    expect(await users()).to.deep.equal(before)
  })

  it('the database itself refuses to let the role of a profile write `role`', async () => {
    for (const [column, value] of [
      ['role', `'admin'`],
      ['email', `'admin'`],
      ['suspended_at', 'null'],
      ['id', '1'],
    ]) {
      const refused = await service.database
        .flush([
          { text: 'select enter($1, $2)', values: ['users_own', callers.editor.id] },
          { text: `update users set ${column} = ${value}` },
        ])
        .then(
          () => null,
          (error: unknown) => at(error, 'code'),
        )
      expect(refused, column).to.be.oneOf(['42501', '428C9'])
    }
  })
})

describe('a wrong current password counts as a sign-in of the account', () => {
  let service: TestService

  before(async () => {
    service = await startTestService({ environment: { RATE_LIMIT_SIGN_IN: '3/600', TRUSTED_PROXY_HOPS: '1' } })
  })
  after(() => service.stop())

  it('so a stolen token is no way to guess the password, and guesses by both ways are one quota', async () => {
    const user = await service.addUser('viewer')
    const guess = () =>
      service.request('PATCH', '/users/me', {
        token: user.token,
        json: { password: 'a-new-password', current_password: 'a wrong one' },
      })
    const signIn = () =>
      service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: user.email.toUpperCase(), password: 'a wrong one' },
        headers: { 'X-Forwarded-For': '203.0.113.5' },
      })
    expect((await guess()).status).to.equal(422)
    expect((await signIn()).status).to.equal(400)
    expect((await guess()).status).to.equal(422)
    const refused = await guess()
    expect(refused.json).to.include({ status: 429, code: 'rate_limited' })
    expect(refused.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    expect((await signIn()).status).to.equal(429)
    const renamed = await service.request('PATCH', '/users/me', { token: user.token, json: { name: 'Somebody' } })
    expect(renamed.status, 'what needs no password is not limited by it').to.equal(200)
  })
})
