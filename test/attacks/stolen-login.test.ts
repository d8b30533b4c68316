import { expect } from 'chai'

import { openPool, type PooledDatabase } from '../../src/database/pool.js'
import { textAt } from '../support/json.js'
import { addLink } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

describe('somebody who has stolen the login of the service', () => {
  let service: TestService
  let admin: TestUser
  let thief: PooledDatabase
  before(async () => {
    service = await startTestService()
    admin = await service.addUser('admin')
    thief = openPool({ connection: { ...service.db.service, application_name: 'psql' }, size: 1, deadlineMs: 5_000 })
  })
  after(async () => {
    await thief.close()
    await service.stop()
  })

  /** Runs SQL in one transaction, as the login or as a role that it may become. */
  const run = (role: string | null, ...texts: readonly string[]) =>
    thief.flush([...(role === null ? [] : [`set local role ${role}`]), ...texts].map((text) => ({ text })))
  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => Object(error).code,
    )
  /** The last entry of a kind: reads of before are recorded later. */
  const newest = async (kind: string) => {
    const text = 'select kind, resource_code, rule, change from decisions where kind = $1 order by id desc limit 1'
    return (await service.db.asOwner(text, [kind]))[0]
  }

  it('changes every link, but none without an entry', async () => {
    const link = `insert into links (code, target) values ('stolen', 'https://evil.example/')`
    expect(await codeOf(run('links_any', link))).to.equal('LG002')
    const decision = `set local app.decision = '{"request_id":"x","revision":1,"rule":"R3","effect":"allow"}'`
    expect(await codeOf(run('links_any', decision, link))).to.equal('done')
    expect(await newest('decision')).to.deep.include({ kind: 'decision', resource_code: 'stolen', rule: 'R3' })
  })

  it('revives no token, no invitation, and joins nobody’s sign-in', async () => {
    const other = await service.addUser('viewer')
    const [hash, more] = [1, 2].map((n) => `sha256('${'x'.repeat(43)}${n}')`)
    const family = '00000000-0000-4000-8000-00000000000a'
    const token = (user: TestUser, of = hash) =>
      `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at)
         values ('${family}', ${user.id}, ${of}, 'link:read', now() + interval '1 hour')`
    expect(await codeOf(run('identity', token(other)))).to.equal('done')
    expect(await codeOf(run('identity', token(admin, more)))).to.equal('42501')
    expect(
      await codeOf(run('identity', `update refresh_tokens set revoked_at = now() where family = '${family}'`)),
    ).to.equal('done')
    await service.db.asOwner(`update refresh_tokens set used_at = now() where family = '${family}'`)
    const { json } = await service.request('POST', '/users/invitations', {
      token: admin.token,
      json: { email: 'revived@example.com', role: 'viewer' },
    })
    const invitation = textAt(json, 'id')
    expect(
      await codeOf(run('identity', `update invitations set accepted_at = now() where id = ${invitation}`)),
    ).to.equal('done')
    for (const update of [
      `refresh_tokens set revoked_at = null where family = '${family}'`,
      `refresh_tokens set used_at = null where family = '${family}'`,
      `invitations set accepted_at = null where id = ${invitation}`,
    ])
      expect(await codeOf(run('identity', `update ${update}`)), update).to.equal('42501')
    // the login may not write these columns; who may is refused all the same
    for (const update of ['family = gen_random_uuid()', `user_id = ${admin.id}`])
      expect(
        await codeOf(service.db.asOwner(`update refresh_tokens set ${update} where family = '${family}'`)),
        update,
      ).to.equal('42501')
  })

  it('chooses nothing of that entry but what a decision says', async () => {
    const chosen = JSON.stringify({
      request_id: 'x',
      revision: 1,
      rule: 'R3',
      effect: 'allow',
      time: '2001-01-01',
      kind: 'policy',
      network: '203.0.113.0/24',
      resource_type: 'user',
      resource_code: 'somebody',
      resource_id: 1,
      change: { role: 'x' },
      id: 1,
      writer: 99,
      seq: 1,
      previous: '\\x00',
      hash: '\\x00',
    })
    const link = `insert into links (code, target) values ('chosen', 'https://evil.example/')`
    expect(await codeOf(run('links_any', `set local app.decision = '${chosen}'`, link))).to.equal('done')
    const [entry] = await service.db.asOwner(
      `select d.id > 1 and d.time > now() - interval '1 hour' and d.writer <> 99 and length(d.hash) = 32
           and length(d.previous) = 32 and d.resource_id = l.id as own,
         d.kind, d.network, d.change, d.resource_type
         from decisions d join links l on l.code = d.resource_code where l.code = 'chosen'`,
    )
    expect(entry).to.deep.equal({ own: true, kind: 'decision', network: null, change: null, resource_type: 'link' })
  })

  it('makes an admin, but not without an entry with the name of the login', async () => {
    const made = `insert into users (email, role) values ('thief@example.com', 'admin')`
    expect(await codeOf(run('identity', made))).to.equal('done')
    const entry = await newest('user')
    expect(entry).to.deep.include({ kind: 'user' })
    expect(entry?.['change']).to.deep.include({ what: 'added', by: `${service.db.service.user} psql` })
    await service.db.asOwner(`delete from users where email = 'thief@example.com'`)
  })

  it('takes no last admin away, and deletes no account without an entry', async () => {
    const demote = `update users set role = 'viewer' where role = 'admin'`
    expect(await codeOf(run('identity', demote))).to.equal('last_admin')
    expect(await codeOf(run('identity', 'delete from users'))).to.equal('last_admin')
    expect((await service.request('GET', '/users/me', { token: admin.token })).status).to.equal(200)
    const { id } = await service.addUser('viewer')
    expect(await codeOf(run('users_any', `delete from users where id = ${id}`))).to.equal('LG002')
    expect(await codeOf(run('identity', `delete from users where id = ${id}`))).to.equal('done')
    const entry = await newest('user')
    expect(entry).to.deep.include({ kind: 'user', resource_code: id })
    expect(entry?.['change']).to.deep.include({ what: 'deleted', by: `${service.db.service.user} psql` })
  })

  it('takes no link as the command line does without an entry with the name of the login', async () => {
    await addLink(service.db, { code: 'taken', owner: null })
    expect(await codeOf(run('identity', `delete from links where owner_id is null`))).to.equal('done')
    const entry = await newest('link')
    expect(entry).to.deep.include({ kind: 'link', resource_code: 'taken' })
    expect(entry?.['change']).to.deep.include({ what: 'deleted', by: `${service.db.service.user} psql` })
  })

  it('changes the rows of the policy, but not without a revision and an entry', async () => {
    const row = `insert into casbin (ptype, rule) values ('p2', '["viewer", "policy:write"]')`
    expect(await codeOf(run('policy_editor', row))).to.equal('done')
    const [revision] = await service.db.asOwner(
      'select actor, added from policy_revisions order by revision desc limit 1',
    )
    expect(revision).to.deep.equal({
      actor: service.db.service.user,
      added: [['p2', 'viewer', 'policy:write']],
    })
    expect(await newest('policy')).to.deep.include({ kind: 'policy' })
  })
})
