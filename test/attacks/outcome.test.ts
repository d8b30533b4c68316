import { expect } from 'chai'
import { Client } from 'pg'

import { createPasswords } from '../../src/identity/password.js'
import { at, textAt } from '../support/json.js'
import { addLink, freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const DEADLINE_MS = 2_000
const PASSWORD = 'correct horse battery'
const target = 'https://example.com/'

type Asked = Awaited<ReturnType<TestService['request']>>

describe('whoever is told 503 at the deadline finds nothing changed later: the outcome is waited for', () => {
  let service: TestService
  let ada: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService({
      environment: { REQUEST_DEADLINE_MS: String(DEADLINE_MS), DATABASE_POOL_SIZE: '1' },
    })
    ada = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  /**
   * Runs a request whose commit takes the server so long, as on a slow disk. Before, it waits for the only connection.
   * `event`: `insert on links`.
   */
  const committing = async (event: string, ms: number, ask: () => Promise<Asked>): Promise<Asked> => {
    await service.db.asOwner(
      `create function slow() returns trigger language plpgsql
         as 'begin perform pg_sleep(${ms / 1_000}); return null; end';
       create constraint trigger slow after ${event} deferrable initially deferred
         for each row execute function slow()`,
    )
    try {
      const [answer] = await Promise.all([ask(), service.database.run({ text: 'select pg_sleep(0.6)' })])
      return answer
    } finally {
      await service.db.asOwner('drop function slow cascade')
    }
  }

  /** As `committing`, until after the deadline. */
  const late = (event: string, ask: () => Promise<Asked>) => committing(event, 1_600, ask)

  const untilCommit = () =>
    until('the commit', async () => {
      const text = `select from pg_stat_activity where datname = current_database() and query ~ 'require_in_time'
        and wait_event = 'PgSleep'`
      return (await service.db.asOwner(text)).length > 0
    })

  const create = (code: string, more = {}) =>
    service.request('POST', '/links', { token: ada.token, json: { code, target, ...more } })

  const targetsOf = (code: string) => service.db.asOwner('select target from links where code = $1', [code])

  it('of a new link', async () => {
    const code = freshCode()
    const { status } = await late('insert on links', () => create(code))
    expect([status, await targetsOf(code)]).to.deep.equal([201, [{ target }]])
  })

  it('also where the service itself was busy until after the deadline', async () => {
    const code = freshCode()
    const { status } = await committing('insert on links', 300, async () => {
      const answering = create(code)
      await untilCommit()
      const over = performance.now() + 1_500
      while (performance.now() < over);
      return answering
    })
    expect([status, await targetsOf(code)]).to.deep.equal([201, [{ target }]])
  })

  it('no longer than the deadline again, and then an Idempotency-Key tells it', async () => {
    const code = freshCode()
    const createOnce = () =>
      service.request('POST', '/links', {
        token: ada.token,
        json: { code, target },
        headers: { 'Idempotency-Key': code },
      })
    const repeated = await committing('insert on links', 3_500, async () => {
      expect((await createOnce()).json).to.include({ status: 503, code: 'database_unavailable' })
      return createOnce()
    })
    expect(repeated.json).to.include({ status: 409, code: 'request_in_progress' })
    // the trigger could be dropped, so the commit is over
    const { status, headers, json } = await createOnce()
    expect([status, headers.get('Idempotent-Replayed'), at(json, 'code')]).to.deep.equal([201, 'true', code])
    expect(await targetsOf(code)).to.deep.equal([{ target }])
  })

  it('of the only visit of a link', async () => {
    const code = freshCode()
    expect((await create(code, { max_visits: 1 })).status).to.equal(201)
    expect((await late('update on links', () => service.request('GET', `/${code}`))).status).to.equal(302)
  })

  const askToken = (json: object) => service.request('POST', '/auth/token', { json })

  const refresh = ({ json }: Asked) =>
    askToken({ grant_type: 'refresh_token', refresh_token: textAt(json, 'refresh_token') })

  const signIn = async () => {
    const user = await service.addUser('editor')
    const hash = await (await createPasswords()).hash(PASSWORD)
    await service.db.asOwner('update users set password_hash = $2 where id = $1', [user.id, hash])
    return askToken({ grant_type: 'password', username: user.email, password: PASSWORD })
  }

  it('of a refreshed sign-in, which goes on', async () => {
    const signedIn = await signIn()
    const refreshed = await late('update on refresh_tokens', () => refresh(signedIn))
    expect(refreshed.status).to.equal(200)
    expect((await refresh(refreshed)).status).to.equal(200)
  })

  it('of a refresh with a used token, which ends the sign-in', async () => {
    const signedIn = await signIn()
    const refreshed = await refresh(signedIn)
    expect(refreshed.status).to.equal(200)
    // two tokens end
    const { status, json } = await committing('update on refresh_tokens', 800, () => refresh(signedIn))
    expect([status, at(json, 'error')]).to.deep.equal([400, 'invalid_grant'])
    expect((await refresh(refreshed)).json).to.include({ error: 'invalid_grant' })
  })

  it('of an edit of the policy', async () => {
    const { revision } = service.policy.current()
    const { status, json } = await late('insert on policy_revisions', () =>
      service.request('POST', '/policy/changes', {
        token: root.token,
        headers: { 'If-Match': `"${revision}"` },
        json: { add: [{ ptype: 'p2', role: 'late', action: 'link:read' }], reason: 'late' },
      }),
    )
    expect([status, at(json, 'revision')]).to.deep.equal([200, revision + 1])
  })

  it('of the deletion of a user with their links', async () => {
    const user = await service.addUser('editor')
    const code = await addLink(service.db, { owner: user.id })
    const { status } = await late('delete on users', () =>
      service.request('DELETE', `/users/${user.id}?links=delete`, { token: root.token }),
    )
    expect([status, await targetsOf(code)]).to.deep.equal([204, []])
  })

  it('of a transfer of all links of a user, though the database answers nothing afterwards', async () => {
    const user = await service.addUser('editor')
    const code = await addLink(service.db, { owner: user.id })
    const holder = new Client(service.db.owner)
    await holder.connect()
    try {
      const { status, json } = await committing('update on links', 300, async () => {
        const answering = service.request('POST', `/users/${user.id}/links/transfer`, {
          token: root.token,
          json: { owner_id: ada.id },
        })
        await untilCommit()
        await holder.query('begin')
        await holder.query('lock table links in access exclusive mode')
        const answer = await answering
        await holder.query('rollback')
        return answer
      })
      expect([status, json]).to.deep.equal([200, { transferred: 1, remaining: 0 }])
      const [link] = await service.db.asOwner('select owner_id from links where code = $1', [code])
      expect(link).to.deep.equal({ owner_id: ada.id })
    } finally {
      await holder.end()
    }
  })
})
