import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { Client } from 'pg'

import { ADVISORY_LOCKS } from '../../src/database/advisory-locks.js'
import { PASSWORD, addAccount } from '../support/account.js'
import { addRows } from '../support/edit-policy.js'
import { halfRequest } from '../support/half-request.js'
import { at, textAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { addLink, freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'

describe('a change belongs to who its caller is when it commits', () => {
  let service: TestService
  let other: TestService
  let root: TestUser
  before(async () => {
    const environment = { DATA_DIR: await makeTemporaryFolder() }
    service = await startTestService({ environment })
    other = await startTestService({ environment, db: service.db })
    root = await service.addUser('admin')
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })

  /** A client of the test's own, for locks that a change waits for. */
  const withClient = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  const post = (path: string, token: string, json: unknown, on = service) => on.request('POST', path, { token, json })

  interface Caller {
    readonly user: TestUser
    readonly token: string
    /** what takes their rights away; answers the status of its acknowledgement */
    readonly taken: () => Promise<number>
  }
  const patchUser = async ({ id }: TestUser, json: unknown) =>
    (await service.request('PATCH', `/users/${id}`, { token: root.token, json })).status

  /** Admins whose rights can be taken, each in another way. */
  const callers: Readonly<Record<string, () => Promise<Caller>>> = {
    suspended: async () => {
      const user = await service.addUser('admin')
      return { user, token: user.token, taken: () => patchUser(user, { suspended: true }) }
    },
    demoted: async () => {
      const user = await service.addUser('admin')
      return { user, token: user.token, taken: () => patchUser(user, { role: 'anonymous-like' }) }
    },
    deleted: async () => {
      const user = await service.addUser('admin')
      const path = `/users/${user.id}?links=transfer:${root.id}`
      const remove = () => service.request('DELETE', path, { token: root.token })
      return { user, token: user.token, taken: async () => (await remove()).status }
    },
    'signed out': async () => {
      const user = await addAccount(service, 'admin')
      const signedIn = await service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: user.email, password: PASSWORD },
      })
      return {
        user,
        token: textAt(signedIn.json, 'access_token'),
        taken: async () =>
          (await service.request('POST', '/auth/revoke', { json: { token: textAt(signedIn.json, 'refresh_token') } }))
            .status,
      }
    },
    'whose sign-in was ended from another': async () => {
      const user = await addAccount(service, 'admin')
      const signedIn = await service.request('POST', '/auth/token', {
        json: { grant_type: 'password', username: user.email, password: PASSWORD },
      })
      const token = textAt(signedIn.json, 'access_token')
      const taken = async () =>
        (await service.request('DELETE', `/users/me/sign-ins/${decodeJwt(token)['sid']}`, { token: user.token })).status
      return { user, token, taken }
    },
    'without the personal token': async () => {
      const user = await service.addUser('admin')
      const scopes = [
        'link:create',
        'link:update',
        'policy:write',
        'user:update',
        'user:invite',
        'profile:update',
        'profile:read',
        'token:create',
      ]
      const whole = await service.tokenFor(user, scopes.join(' '))
      const made = await post('/users/me/tokens', whole, { name: 'a key', scopes })
      return {
        user,
        token: textAt(made.json, 'token'),
        taken: async () =>
          (await service.request('DELETE', `/users/me/tokens/${textAt(made.json, 'id')}`, { token: user.token }))
            .status,
      }
    },
  }

  /** Every kind of change, and how many of them the database holds. */
  const mutations: Readonly<
    Record<
      string,
      (caller: Caller) => Promise<{
        readonly request: readonly [method: string, path: string, json: unknown, headers?: Record<string, string>]
        readonly stored: () => Promise<unknown>
      }>
    >
  > = {
    'POST /links': async () => {
      const code = freshCode()
      return {
        request: ['POST', '/links', { code, target: 'https://example.com/' }],
        stored: () => service.db.asOwner('select from links where code = $1', [code]),
      }
    },
    'PATCH /links/{code}': async ({ user }) => {
      const code = await addLink(service.db, { owner: user.id })
      return {
        request: ['PATCH', `/links/${code}`, { target: 'https://example.com/changed' }],
        stored: () => service.db.asOwner('select target from links where code = $1', [code]),
      }
    },
    'POST /policy/changes': async () => {
      const { revision } = service.policy.current()
      return {
        request: [
          'POST',
          '/policy/changes',
          { add: [{ ptype: 'p2', role: freshCode('role'), action: 'link:read' }], reason: 'late' },
          { 'If-Match': `"${revision}"` },
        ],
        stored: () => service.db.asOwner('select revision from policy_head'),
      }
    },
    'POST /policy/revisions/{revision}/restore': async () => {
      const add = [{ ptype: 'p2', role: freshCode('role'), action: 'link:read' }]
      const { revision } = service.policy.current()
      await addRows(service, root.token, add)
      return {
        request: ['POST', `/policy/revisions/${revision}/restore`, { reason: 'late' }],
        stored: () => service.db.asOwner('select revision from policy_head'),
      }
    },
    'POST /users/me/tokens': async ({ user }) => ({
      request: ['POST', '/users/me/tokens', { name: 'another', scopes: ['link:create'] }],
      stored: () =>
        service.db.asOwner('select count(*) from personal_tokens where user_id = $1 and revoked_at is null', [user.id]),
    }),
    'PATCH /users/{id}': async () => {
      const target = await service.addUser('viewer')
      return {
        request: ['PATCH', `/users/${target.id}`, { role: 'editor' }],
        stored: () => service.db.asOwner('select role from users where id = $1', [target.id]),
      }
    },
    'PATCH /users/me': async ({ user }) => ({
      request: ['PATCH', '/users/me', { name: 'Somebody Else' }],
      stored: () => service.db.asOwner('select name from users where id = $1', [user.id]),
    }),
    'POST /users/invitations': async () => {
      const email = `${freshCode('invited')}@example.com`
      return {
        request: ['POST', '/users/invitations', { email, role: 'viewer' }],
        stored: () => service.db.asOwner('select from invitations where email = $1', [email]),
      }
    },
  }

  // what every user may do, the demoted one does under the new role
  const everybodys = new Set(['POST /links', 'PATCH /links/{code}', 'POST /users/me/tokens', 'PATCH /users/me'])
  for (const [how, makeCaller] of Object.entries(callers))
    for (const [name, makeMutation] of Object.entries(mutations)) {
      if (how === 'demoted' && everybodys.has(name)) continue
      it(`${name} is not made by a caller who is ${how} while the body comes`, async () => {
        const caller = await makeCaller()
        const { request, stored } = await makeMutation(caller)
        const [method, path, json, headers = {}] = request
        const late = await halfRequest(service.baseUrl, {
          method,
          path,
          token: caller.token,
          json,
          headers: { Connection: 'close', ...headers },
        })
        expect(await caller.taken()).to.be.oneOf([200, 204])
        const before = await stored()
        expect(await late.finish()).to.be.oneOf([401, 403])
        expect(await stored()).to.deep.equal(before)
      })
    }

  it('a suspension is acknowledged after a change of theirs that waits for a row, and not before', async () => {
    const ada = await service.addUser('editor')
    const code = await addLink(service.db, { owner: ada.id })
    await withClient(async (client) => {
      await client.query('begin')
      await client.query('select from links where code = $1 for update', [code])
      const done: string[] = []
      const changing = service
        .request('PATCH', `/links/${code}`, { token: ada.token, json: { target: 'https://example.com/changed' } })
        .then(({ status }) => done.push(`changed ${status}`))
      await lockWaiters(service.db.asOwner, 1)
      const suspending = other
        .request('PATCH', `/users/${ada.id}`, { token: root.token, json: { suspended: true } })
        .then(({ status }) => done.push(`suspended ${status}`))
      await lockWaiters(service.db.asOwner, 2)
      await client.query('commit')
      await Promise.all([changing, suspending])
      expect(done).to.have.members(['changed 200', 'suspended 200'])
    })
    const [order] = await service.db.asOwner<{ right: boolean }>(
      `select (select max(time) from decisions where resource_type = 'link' and resource_code = $1)
            < (select max(time) from decisions where resource_type = 'user' and resource_code = $2) as right`,
      [code, ada.id],
    )
    expect(order?.right).to.equal(true)
    expect((await service.request('PATCH', `/links/${code}`, { token: ada.token, json: {} })).status).to.equal(401)
  })

  it('of two admins who demote each other at once, one succeeds', async () => {
    for (let round = 0; round < 15; round += 1) {
      const [ada, bob] = await Promise.all([service.addUser('admin'), service.addUser('admin')])
      const demote = (by: TestUser, { id }: TestUser, on: TestService) =>
        on.request('PATCH', `/users/${id}`, { token: by.token, json: { role: 'viewer' } })
      const answers = await Promise.all([demote(ada, bob, service), demote(bob, ada, other)])
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses, answers.map(({ text }) => text).join()).to.deep.equal([200, 403])
    }
  })

  it('a signed-out access token stays refused when the sign-in has been swept', async () => {
    const { user, token, taken } = (await callers['signed out']?.()) ?? expect.fail('no such caller')
    expect((await service.request('GET', '/users/me', { token })).status).to.equal(200)
    await taken()
    await service.db.asOwner(`update refresh_tokens set expires_at = now() where user_id = $1`, [user.id])
    const again = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: user.email, password: PASSWORD },
    })
    expect(again.status).to.equal(200)
    expect((await service.request('GET', '/users/me', { token })).status).to.equal(401)
  })

  it('no access token outlives its sign-in', async () => {
    const user = await addAccount(service)
    const signedIn = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: user.email, password: PASSWORD },
    })
    expect(at(signedIn.json, 'expires_in')).to.equal(900)
    await service.db.asOwner(`update refresh_tokens set expires_at = now() + interval '100 s' where user_id = $1`, [
      user.id,
    ])
    const refreshed = await service.request('POST', '/auth/token', {
      json: { grant_type: 'refresh_token', refresh_token: textAt(signedIn.json, 'refresh_token') },
    })
    expect(at(refreshed.json, 'expires_in')).to.be.a('number').within(1, 100)
  })

  it('a repetition under an Idempotency-Key does not overtake a first request that waits', async () => {
    const ada = await service.addUser('editor')
    const create = (on: TestService) =>
      on.request('POST', '/links', {
        token: ada.token,
        headers: { 'Idempotency-Key': 'once' },
        json: { target: 'https://example.com/' },
      })
    await withClient(async (client) => {
      await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.policy])
      const first = create(service)
      await lockWaiters(service.db.asOwner, 1)
      const repeated = await create(other)
      expect(repeated.status).to.equal(409)
      expect(at(repeated.json, 'code')).to.equal('request_in_progress')
      await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.policy])
      const { status, json } = await first
      expect(status).to.equal(201)
      // each of the two is reached at an address of its own
      const withoutUrl = (link: unknown) => ({ ...Object(link), url: null })
      expect(withoutUrl((await create(other)).json)).to.deep.equal(withoutUrl(json))
    })
  })

  it('a restore without If-Match that meets an edit decides again', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { revision } = service.policy.current()
      const [edited, restored] = await Promise.all([
        service.request('POST', '/policy/changes', {
          token: root.token,
          headers: { 'If-Match': `"${revision}"` },
          json: { add: [{ ptype: 'p2', role: freshCode('role'), action: 'link:read' }], reason: 'an edit' },
        }),
        other.request('POST', '/policy/revisions/1/restore', { token: root.token, json: {} }),
      ])
      expect(edited.status).to.be.oneOf([200, 412])
      expect(restored.status, restored.text).to.equal(200)
      await Promise.all([service.policy.refresh(), other.policy.refresh()])
    }
  })

  it('a restore works while rows that somebody broke by hand cannot be loaded', async () => {
    const good = service.policy.current().revision
    await service.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["clerk", "no such:action", "more"]')`)
    await service.policy.refresh().catch(() => undefined)
    expect(service.policy.status().fault).to.be.a('string')
    const restored = await post(`/policy/revisions/${good}/restore`, root.token, {})
    expect(restored.status, restored.text).to.equal(200)
    expect(service.policy.current().revision).to.equal(good + 2)
    expect((await other.policy.refresh()).revision).to.equal(good + 2)
  })

  it('no restore is decided under a revision that a process missed, because the next one is broken', async () => {
    const role = freshCode('warden')
    const rights = [
      { ptype: 'p', priority: 7_001, rule: 'T1', role, action: 'policy:write', reach: 'any', effect: 'allow' },
      { ptype: 'p2', role, action: 'policy:write' },
    ]
    await addRows(service, root.token, rights)
    const wide = service.policy.current().revision
    const warden = await service.addUser(role)
    const restore = (user: TestUser, revision: number) => post(`/policy/revisions/${revision}/restore`, user.token, {})
    expect((await restore(warden, wide)).status).to.equal(200)
    await withClient(async (second) => {
      await second.query('begin')
      await withClient(async (first) => {
        await first.query('begin')
        await first.query('lock table casbin in share row exclusive mode')
        // whoever loads the policy from now on waits for the second transaction
        const locked = second.query('lock table casbin in access exclusive mode')
        await lockWaiters(service.db.asOwner, 1)
        await first.query(`delete from casbin where ptype = 'p2' and rule ->> 0 = $1`, [role])
        await first.query('commit')
        await locked
      })
      await second.query(`insert into casbin (ptype, rule) values ('p2', '["clerk", "no such:action", "more"]')`)
      await second.query('commit')
    })
    // back to the revision that took their right
    const refused = await restore(warden, wide + 1)
    expect(refused.json, refused.text).to.include({ status: 503, code: 'policy_unavailable' })
    expect((await restore(root, wide + 1)).status).to.equal(200)
  })
})
