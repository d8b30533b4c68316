import { randomUUID } from 'node:crypto'

import { expect } from 'chai'
import { Client } from 'pg'

import { ask, type TestResponse } from '../support/ask.js'
import { addRows, rowsFor } from '../support/edit-policy.js'
import { at, listAt } from '../support/json.js'
import { lockWaiters } from '../support/lock-waiters.js'
import { startMailServer } from '../support/mail-server.js'
import { BY_HAND, freshCode, storedLink } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

describe('a creation under an Idempotency-Key', () => {
  let one: TestService
  let two: TestService
  let admin: TestUser
  let editor: TestUser

  before(async () => {
    // two nodes of one installation: they share the key file and the public address
    const environment = { DATA_DIR: await makeTemporaryFolder(), BASE_URL: 'https://links.example' }
    one = await onPort(environment)
    two = await onPort(environment, one)
    admin = await one.addUser('admin')
    editor = await one.addUser('editor')
  })
  after(async () => {
    await one.stop()
    await two.stop()
  })

  const onPort = async (environment: Readonly<Record<string, string>>, beside?: TestService): Promise<TestService> => {
    const service = await startTestService({ environment, ...(beside ? { db: beside.db } : {}) })
    const origin = `http://127.0.0.1:${service.port}`
    return { ...service, request: async (method, path, options) => ask(origin, method, path, options) }
  }

  const send = (
    path: string,
    json: unknown,
    {
      key,
      by = admin,
      on = one,
      token = by.token,
    }: { readonly key: string; readonly by?: TestUser; readonly on?: TestService; readonly token?: string },
  ) => on.request('POST', path, { token, json, headers: { 'Idempotency-Key': key } })
  const target = 'https://example.com/once'
  /** What was made, and its decisions: that of a repeat names no record. */
  const counts = async () =>
    (
      await one.db.asOwner<{ links: string; tokens: string; invitations: string; allowed: string }>(`
    select (select count(*) from links) as links, (select count(*) from personal_tokens) as tokens,
           (select count(*) from invitations) as invitations,
           (select count(*) from decisions where effect = 'allow' and resource_code is not null) as allowed`)
    )[0]
  const replayed = ({ headers }: TestResponse) => headers.get('Idempotent-Replayed')

  const CREATIONS: Readonly<
    Record<string, { readonly json: Readonly<Record<string, unknown>>; readonly other: unknown }>
  > = {
    '/links': { json: { target }, other: { target: `${target}-again` } },
    '/users/me/tokens': {
      json: { name: 'a key', scopes: ['link:read'] },
      other: { name: 'a key', scopes: ['link:read', 'link:delete'] },
    },
    '/users/invitations': {
      json: { email: 'ada@example.com', role: 'viewer' },
      other: { email: 'ada@example.com', role: 'admin' },
    },
  }

  it('is what every creation of the route table takes, and the description says so', async () => {
    const repeatable = one.routes.filter((route) => route.idempotent).map(({ path }) => path)
    expect(repeatable).to.have.members(Object.keys(CREATIONS))
    const document = (await one.request('GET', '/openapi.json')).json
    for (const path of repeatable)
      expect(listAt(document, 'paths', path, 'post', 'parameters')).to.deep.include({
        $ref: '#/components/parameters/IdempotencyKey',
      })
  })

  for (const [path, { json, other }] of Object.entries(CREATIONS)) {
    const hasSecret = path !== '/links'

    it(`${path}: the same key and body make nothing a second time, on any node`, async () => {
      const key = randomUUID()
      const first = await send(path, json, { key })
      expect(first.status, first.text).to.equal(201)
      expect(replayed(first)).to.equal(null)
      const made = await counts()
      // in another order: what is asked for is the same
      const shuffled = Object.fromEntries(Object.entries(json).toReversed())
      for (const on of [one, two]) {
        // PostgreSQL says that a transaction failed before it lets go of its locks: a key may be held a moment longer
        const again = await until('nobody holds the key', async () => {
          const answer = await send(path, shuffled, { key, on })
          return at(answer.json, 'code') !== 'request_in_progress' && answer
        })
        if (hasSecret) {
          expect(again.json).to.include({ status: 409, code: 'already_created' })
        } else {
          expect({ status: again.status, text: again.text }).to.deep.equal({ status: 201, text: first.text })
          for (const name of ['Location', 'ETag', 'Content-Type', 'Cache-Control'])
            expect(again.headers.get(name), name).to.equal(first.headers.get(name))
          expect(replayed(again)).to.equal('true')
        }
      }
      expect(await counts()).to.deep.equal(made)
    })

    it(`${path}: the same key with another body is 422, and nothing is made`, async () => {
      const key = randomUUID()
      await send(path, json, { key })
      const made = await counts()
      const refused = (await send(path, other, { key })).json
      expect(refused).to.include({ status: 422, code: 'idempotency_key_reused' })
      // as every 422 does, it names the field and the rule
      expect(at(refused, 'errors')).to.deep.equal([
        { field: 'Idempotency-Key', message: 'must be another one for another request' },
      ])
      expect(await counts()).to.deep.equal(made)
    })

    it(`${path}: 20 requests of one key at once on two nodes make one`, async () => {
      for (let round = 0; round < 3; round += 1) {
        const key = randomUUID()
        const before = await counts()
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) => send(path, json, { key, on: i % 2 === 0 ? one : two })),
        )
        const made = answers.filter(({ status }) => status === 201)
        expect(new Set(made.map(({ text }) => text)).size).to.equal(1)
        expect(made.filter((answer) => replayed(answer) === null)).to.have.length(1)
        for (const { json: said, status, headers } of answers.filter((answer) => answer.status !== 201)) {
          expect(status).to.equal(409)
          if (hasSecret && at(said, 'code') === 'already_created') continue
          expect(said).to.include({ code: 'request_in_progress' })
          expect(headers.get('Retry-After')).to.equal('1')
        }
        const after = await counts()
        const difference = (name: 'links' | 'tokens' | 'invitations' | 'allowed') =>
          Number(after?.[name]) - Number(before?.[name])
        expect([
          difference('links') + difference('tokens') + difference('invitations'),
          difference('allowed'),
        ]).to.deep.equal([1, 1])
      }
    })
  }

  it('sends an invitation by e-mail once', async () => {
    const mail = await startMailServer()
    const sender = await startTestService({ db: one.db, environment: { SMTP_URL: mail.url } })
    const [key, token] = [randomUUID(), await sender.tokenFor(admin)]
    const invite = () =>
      send('/users/invitations', { email: 'once@example.com', role: 'viewer' }, { key, token, on: sender })
    expect([(await invite()).status, (await invite()).status]).to.deep.equal([201, 409])
    // waits for what is being sent
    await sender.stop()
    expect(mail.mails).to.have.length(1)
    await mail.stop()
  })

  it('with the key of another route is 422', async () => {
    const key = randomUUID()
    await send('/links', { target }, { key })
    expect((await send('/users/me/tokens', { name: 'a key', scopes: [] }, { key })).json).to.include({
      code: 'idempotency_key_reused',
    })
  })

  it('is its user’s own: another user’s same key is another request, and shows nothing of the first', async () => {
    const key = randomUUID()
    const first = await send('/links', { target }, { key, by: editor })
    const second = await send('/links', { target }, { key, by: admin })
    expect([first.status, second.status, replayed(second)]).to.deep.equal([201, 201, null])
    expect(at(second.json, 'owner_id')).to.equal(admin.id)
    expect(at(second.json, 'code')).to.not.equal(at(first.json, 'code'))
    expect(
      (await send('/links', { target: `${target}-other` }, { key, by: await one.addUser('editor') })).status,
    ).to.equal(201)
  })

  describe('that is under way', () => {
    let holder: Client
    beforeEach(async () => {
      holder = new Client(one.db.owner)
      await holder.connect()
    })
    afterEach(() => holder.end())

    /** Makes the next creation of this code wait inside its transaction, until the holder lets go of it. */
    const hold = async (code: string) => {
      await holder.query('begin')
      await holder.query(`select set_config('app.decision', $1, true)`, [BY_HAND])
      await holder.query(`insert into links (code, target) values ($1, 'https://example.com/held')`, [code])
    }

    it('is 409 at once for the same key on any node, and is answered itself when it is done', async () => {
      const [key, code] = [randomUUID(), freshCode('held')]
      await hold(code)
      const first = send('/links', { target, code }, { key, by: editor })
      await lockWaiters(one.db.asOwner)
      for (const on of [one, two]) {
        expect((await send('/links', { target, code }, { key, by: editor, on })).json).to.include({
          status: 409,
          code: 'request_in_progress',
        })
      }
      expect((await send('/links', { target }, { key, by: admin })).status, 'somebody else’s').to.equal(201)
      await holder.query('rollback')
      expect((await first).status).to.equal(201)
      expect(replayed(await send('/links', { target, code }, { key, by: editor }))).to.equal('true')
    })

    it('and dies leaves nothing taken: the next one is made', async () => {
      const [key, code] = [randomUUID(), freshCode('held')]
      await hold(code)
      const first = send('/links', { target, code }, { key, by: editor })
      const [waiting] = await lockWaiters(one.db.asOwner)
      // waits for the end of the session: PostgreSQL reports its error before it releases the lock on the key
      await one.db.asOwner('select pg_terminate_backend($1, 10000)', [waiting])
      expect((await first).status).to.equal(503)
      await holder.query('rollback')
      const second = await send('/links', { target, code }, { key, by: editor, on: two })
      expect([second.status, replayed(second)]).to.deep.equal([201, null])
    })
  })

  describe('that is repeated', () => {
    it('by a caller who may no longer do it is refused as any other, whatever was made', async () => {
      await addRows(one, admin.token, rowsFor('maker', 700, 'link:create', 'user:invite'))
      const maker = await one.addUser('maker')
      const [key, invitationKey] = [randomUUID(), randomUUID()]
      const link = await send('/links', { target }, { key, by: maker })
      expect(link.status).to.equal(201)
      expect(
        (await send('/users/invitations', { email: 'x@example.com', role: 'maker' }, { key: invitationKey, by: maker }))
          .status,
      ).to.equal(201)

      const narrow = await one.tokenFor(maker, 'link:read user:invite')
      expect((await send('/links', { target }, { key, token: narrow })).json).to.include({
        status: 403,
        code: 'insufficient_scope',
      })

      await addRows(one, admin.token, [
        { ptype: 'p', priority: 5, rule: 'STOP', role: 'maker', action: 'link:create', reach: 'any', effect: 'deny' },
      ])
      expect((await send('/links', { target }, { key, by: maker })).json).to.include({
        status: 403,
        code: 'policy_denied',
        rule: 'STOP',
      })
      await one.db.asOwner(`update users set role = 'viewer' where id = $1`, [maker.id])
      expect(
        (await send('/users/invitations', { email: 'x@example.com', role: 'maker' }, { key: invitationKey, by: maker }))
          .status,
      ).to.equal(403)
      await one.db.asOwner('update users set suspended_at = now() where id = $1', [maker.id])
      expect((await send('/links', { target }, { key, by: maker })).status).to.equal(401)
    })

    it('by a token with fewer scopes than the new personal token is refused: its value is not handed on', async () => {
      const key = randomUUID()
      const json = { name: 'a key', scopes: ['link:delete'] }
      expect((await send('/users/me/tokens', json, { key, by: editor })).status).to.equal(201)
      const narrow = await one.tokenFor(editor, 'profile:update')
      const refused = await send('/users/me/tokens', json, { key, token: narrow })
      expect(refused.status).to.equal(422)
      expect(refused.text).to.not.include('lgp_')
    })

    it('is answered as it was, also when what was made is no more', async () => {
      const [key, code] = [randomUUID(), freshCode('gone')]
      const first = await send('/links', { target, code }, { key, by: editor })
      await one.request('DELETE', `/links/${code}`, { token: editor.token })
      expect((await send('/links', { target, code }, { key, by: editor })).text).to.equal(first.text)
      expect(await storedLink(one.db, code)).to.equal(undefined)
    })

    it('leaves a decision in the log, too: it was allowed, and shows the link', async () => {
      const key = randomUUID()
      await send('/links', { target }, { key, by: editor })
      const again = await send('/links', { target }, { key, by: editor })
      expect(replayed(again)).to.equal('true')
      const id = again.headers.get('X-Request-ID')
      const text = 'select subject_id, action, effect, rule, status, resource_id from decisions where request_id = $1'
      const recorded = await until('the decision of the repeat is in the log', async () => {
        const rows = await one.db.asOwner(text, [id])
        return rows.length > 0 && rows
      })
      expect(recorded).to.deep.equal([
        { subject_id: editor.id, action: 'link:create', effect: 'allow', rule: 'R4', status: 201, resource_id: null },
      ])
    })

    it('after a refusal is tried anew: a failure keeps no key', async () => {
      const [key, code] = [randomUUID(), freshCode('freed')]
      await send('/links', { target, code }, { key: randomUUID(), by: admin })
      expect((await send('/links', { target: 'javascript:1', code }, { key, by: editor })).status).to.equal(422)
      expect((await send('/links', { target, code }, { key, by: editor })).json).to.include({ code: 'code_taken' })
      await one.request('DELETE', `/links/${code}`, { token: admin.token })
      const made = await send('/links', { target, code }, { key, by: editor })
      expect([made.status, replayed(made)]).to.deep.equal([201, null])
    })

    it('after 24 hours is a new request; what has ended is swept, 20 keys of anybody at a time', async () => {
      const key = randomUUID()
      const first = await send('/links', { target }, { key, by: editor })
      await one.db.asOwner(
        `
        insert into idempotency_keys (user_id, key_hash, fingerprint, record, created_at)
        select $1, sha256(n::text::bytea), sha256(''), '{}', now() - interval '25 hours' from generate_series(1, 50) n`,
        [admin.id],
      )
      await one.db.asOwner(`update idempotency_keys set created_at = now() - interval '24 hours' where user_id = $1`, [
        editor.id,
      ])
      const ended = async () =>
        Number(
          (
            await one.db.asOwner<{ count: string }>(
              `select count(*) from idempotency_keys where created_at <= now() - interval '24 hours'`,
            )
          )[0]?.count,
        )
      const before = await ended()
      const second = await send('/links', { target }, { key, by: editor })
      expect([second.status, replayed(second)]).to.deep.equal([201, null])
      expect(at(second.json, 'code')).to.not.equal(at(first.json, 'code'))
      expect(await ended()).to.equal(before - 21)
    })
  })

  for (const [what, key] of Object.entries({
    'an empty key': '',
    'a key with a space': 'a b',
    'a key of 256 characters': 'k'.repeat(256),
    'a key beyond ASCII': 'schlüssel',
    'a tab': 'a\tb',
  })) {
    it(`with ${what} is 400, and nothing is made`, async () => {
      const made = await counts()
      const answer = await send('/links', { target }, { key, by: editor })
      expect(answer.json, answer.text).to.include({ status: 400, code: 'invalid_request' })
      expect(at(answer.json, 'errors', 0, 'field')).to.equal('Idempotency-Key')
      expect(await counts()).to.deep.equal(made)
    })
  }

  it('with a key of 255 characters of any visible kind is made', async () => {
    expect((await send('/links', { target }, { key: `"'\\%;${'~'.repeat(250)}`, by: editor })).status).to.equal(201)
  })

  it('is the only thing that heeds the key: elsewhere it is ignored', async () => {
    expect(
      (await one.request('GET', '/links', { token: editor.token, headers: { 'Idempotency-Key': 'a b' } })).status,
    ).to.equal(200)
  })

  it('leaves the table of keys closed to everybody but their user', async () => {
    await send('/links', { target }, { key: randomUUID(), by: admin })
    for (const role of ['links_own', 'users_own']) {
      const [, seen] = await one.database.flush([
        { text: 'select enter($1, $2)', values: [role, editor.id] },
        { text: 'select distinct user_id from idempotency_keys' },
      ])
      expect(seen?.rows).to.deep.equal([{ user_id: editor.id }])
      for (const text of [`update idempotency_keys set record = '{}'`, 'delete from idempotency_keys']) {
        const refused = await one.database
          .flush([{ text: 'select enter($1, $2)', values: [role, editor.id] }, { text }])
          .then(
            () => null,
            (error: unknown) => error,
          )
        expect(refused, text).to.have.property('code', '42501')
      }
    }
  })
})
