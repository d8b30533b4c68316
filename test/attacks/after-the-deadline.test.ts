import { expect } from 'chai'
import { Client } from 'pg'

import { ADVISORY_LOCKS } from '../../src/database/advisory-locks.js'
import { createPasswords } from '../../src/identity/password.js'
import { halfRequest } from '../support/half-request.js'
import { at, textAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

const PASSWORD = 'correct horse battery'

describe('after its deadline a request changes nothing', () => {
  let service: TestService
  let ada: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService({ environment: { REQUEST_DEADLINE_MS: '500' } })
    ada = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  /** Runs a request while another session holds a lock, and lets go when the request was answered. */
  const behind = async (
    lock: string,
    values: readonly unknown[],
    ask: () => Promise<{ status: number; json: unknown }>,
  ) => {
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      await client.query('begin')
      await client.query(lock, [...values])
      const { status, json } = await ask()
      expect(status).to.equal(503)
      expect(at(json, 'code')).to.equal('deadline_exceeded')
      await client.query('commit')
      // whatever waits behind the lock is over when this gets it
      await client.query('begin')
      await client.query(lock, [...values])
    } finally {
      await client.end()
    }
  }

  it('that waited for a row', async () => {
    const code = await addLink(service.db, { owner: ada.id })
    await behind('select from links where code = $1 for update', [code], () =>
      service.request('PATCH', `/links/${code}`, { token: ada.token, json: { target: 'https://example.com/late' } }),
    )
    expect(await service.db.asOwner('select target from links where code = $1', [code])).to.deep.equal([
      { target: 'https://example.com/' },
    ])
  })

  it('that waited for a connection and then for the last visit of a link', async () => {
    const only = await startTestService({
      db: service.db,
      environment: { REQUEST_DEADLINE_MS: '500', DATABASE_POOL_SIZE: '1', REDIRECT_CACHE_SIZE: '0' },
    })
    const client = new Client(service.db.owner)
    await client.connect()
    try {
      const code = freshCode()
      const json = { code, target: 'https://example.com/', max_visits: 1 }
      expect((await only.request('POST', '/links', { token: await only.tokenFor(ada), json })).status).to.equal(201)
      await client.query('begin')
      await client.query('select from links where code = $1 for update', [code])
      const busy = only.database.run({ text: 'select pg_sleep(0.4)' })
      expect((await only.request('GET', `/${code}`)).status).to.equal(503)
      await busy
      await client.query('commit')
      expect((await only.request('GET', `/${code}`)).status, 'nobody has had it').to.equal(302)
      expect((await only.request('GET', `/${code}`)).status).to.equal(410)
    } finally {
      await client.end()
      await only.stop()
    }
  })

  it('that waited for the policy', async () => {
    const code = freshCode()
    await behind('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.policy], () =>
      service.request('POST', '/links', { token: ada.token, json: { code, target: 'https://example.com/' } }),
    )
    expect(await service.db.asOwner('select from links where code = $1', [code])).to.deep.equal([])
  })

  it('that edits the policy and waited for changes', async () => {
    const { revision } = service.policy.current()
    await behind('select pg_advisory_xact_lock_shared($1)', [ADVISORY_LOCKS.policy], () =>
      service.request('POST', '/policy/changes', {
        token: root.token,
        headers: { 'If-Match': `"${revision}"` },
        json: { add: [{ ptype: 'p2', role: 'late', action: 'link:read' }], reason: 'late' },
      }),
    )
    expect((await service.policy.refresh()).revision).to.equal(revision)
  })

  it('whose body came too late, and the connection ends', async () => {
    const code = freshCode()
    const late = await halfRequest(service.baseUrl, {
      path: '/links',
      token: ada.token,
      json: { code, target: 'https://example.com/' },
      headers: { Connection: 'keep-alive' },
    })
    expect(await late.answer).to.equal(503)
    await late.finish()
    expect(await service.db.asOwner('select from links where code = $1', [code])).to.deep.equal([])
  })

  it('that refreshes a sign-in: the token stays as it was', async () => {
    const user = await service.addUser('editor')
    const hash = await (await createPasswords()).hash(PASSWORD)
    await service.db.asOwner('update users set password_hash = $2 where id = $1', [user.id, hash])
    const signedIn = await service.request('POST', '/auth/token', {
      json: { grant_type: 'password', username: user.email, password: PASSWORD },
    })
    const refresh = () =>
      service.request('POST', '/auth/token', {
        json: { grant_type: 'refresh_token', refresh_token: textAt(signedIn.json, 'refresh_token') },
      })
    await behind('select from refresh_tokens where user_id = $1 for update', [user.id], refresh)
    expect((await refresh()).status).to.equal(200)
  })
})
