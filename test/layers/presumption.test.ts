import { expect } from 'chai'

import { databaseAway } from '../../src/database/errors.js'
import type { Layers } from '../../src/layers/route.js'
import { at, textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { startTestService } from '../support/service.js'
import type { TestService, TestUser } from '../support/service.js'

/**
 * Changes that rest on what is remembered and presumed: one question where it is true, and never a word of it where it
 * is not.
 */
describe('what a change presumes', () => {
  let service: TestService
  let editor: TestUser

  before(async () => {
    service = await startTestService()
    // a role that may do nothing to links
    await service.db.asOwner(
      `insert into casbin (ptype, rule) select 'p', jsonb_build_array((200 + n)::text, 'T1', 'guest', action, 'any', 'deny') from unnest(array['link:create', 'link:update', 'link:delete']) with ordinality a(action, n)`,
    )
    await service.policy.refresh()
  })
  after(() => service.stop())
  beforeEach(async () => {
    editor = await service.addUser('editor')
  })

  const TARGET = 'https://example.com/changed'
  const addLink = async (user = editor): Promise<string> => {
    const code = freshCode()
    expect(
      (await service.request('POST', '/links', { token: user.token, json: { code, target: 'https://example.com/' } }))
        .status,
    ).to.equal(201)
    return code
  }
  const change = (
    code: string,
    {
      user = editor,
      headers = {},
      json = { target: TARGET },
    }: { readonly user?: TestUser; readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown } = {},
  ) => service.request('PATCH', `/links/${code}`, { token: user.token, json, headers })
  const targetOf = async (code: string) =>
    (await service.db.asOwner<{ target: string }>('select target from links where code = $1', [code]))[0]?.target
  const allowed = async (code: string) =>
    service.db.asOwner<{ relation: string; rule: string; subject_role: string }>(
      `select relation, rule, subject_role from decisions where resource_code = $1 and action = 'link:update' and effect = 'allow'`,
      [code],
    )
  /** Questions that the service has asked the database, by kind. */
  const questions = async () => {
    const { text } = await service.request('GET', '/metrics')
    const count = (kind: string) =>
      Number(
        new RegExp(`^linkgate_database_duration_seconds_count\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
      )
    return { run: count('run'), flush: count('flush') }
  }

  it('costs an owner one question, and is recorded as every change is', async () => {
    // questions of the service's own count with those of the request: an announcement comes some 20 ms after every
    // change
    const costs: unknown[] = []
    const code = await addLink()
    for (let tries = 0; tries < 50 && !costs.some((cost) => cost === 'one flush'); tries += 1) {
      const before = await questions()
      const changed = await change(code)
      const after = await questions()
      expect(changed.status, changed.text).to.equal(200)
      expect(at(changed.json, 'target')).to.equal(TARGET)
      const cost = { run: after.run - before.run, flush: after.flush - before.flush }
      costs.push(cost.run === 0 && cost.flush === 1 ? 'one flush' : cost)
    }
    expect(costs).to.include('one flush')
    const recorded = await allowed(code)
    expect(recorded).to.deep.equal(costs.map(() => ({ relation: 'own', rule: 'R5', subject_role: 'editor' })))
  })

  it('holds for each of many that come at once by itself', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => service.addUser('editor')))
    const links = await Promise.all(users.map((user) => addLink(user)))
    const [suspended, stranger] = [3, 5]
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [users[suspended]?.id])
    // each their own link, one of them somebody else's
    const codeOf = (n: number) => links[n === stranger ? 0 : n] ?? ''
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => users.map((user, n) => change(codeOf(n), { user }))).flat(),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(
      answers.map((_, i) => ({ [suspended]: 401, [stranger]: 403 })[i % 8] ?? 200),
    )
    const recorded = await Promise.all(
      links.map(async (code) =>
        service.db.asOwner<{ subject: string }>(
          `select subject_id::text as subject from decisions where resource_code = $1 and action = 'link:update' and effect = 'allow'`,
          [code],
        ),
      ),
    )
    expect(recorded.map((each) => each.map(({ subject }) => subject))).to.deep.equal(
      users.map(({ id }, n) => (n === suspended || n === stranger ? [] : Array.from({ length: 5 }, () => id))),
    )
  })

  it('is asked for where the token lacks the scope: of a user who was suspended meanwhile it is invalid before it is anything else', async () => {
    const code = await addLink()
    const narrow = { ...editor, token: await service.tokenFor(editor, 'link:read') }
    expect(at((await change(code, { user: narrow })).json, 'code')).to.equal('insufficient_scope')
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [editor.id])
    expect(at((await change(code, { user: narrow })).json, 'code')).to.equal('invalid_token')
  })

  it('is asked for where the link is somebody else’s, or not there', async () => {
    const theirs = await addLink(await service.addUser('editor'))
    for (let i = 0; i < 2; i += 1) {
      const refused = await change(theirs)
      expect([refused.status, at(refused.json, 'code'), at(refused.json, 'rule')]).to.deep.equal([
        403,
        'policy_denied',
        'R5',
      ])
      expect((await change(freshCode())).status).to.equal(404)
      expect((await service.request('DELETE', `/links/${theirs}`, { token: editor.token })).status).to.equal(403)
    }
    expect(await targetOf(theirs)).to.equal('https://example.com/')
    expect(await allowed(theirs)).to.deep.equal([])
  })

  it('does not hold for who reaches every link: theirs are looked at', async () => {
    const admin = await service.addUser('admin')
    const code = await addLink()
    expect((await change(code, { user: admin })).status).to.equal(200)
    expect((await change(code, { user: admin })).status).to.equal(200)
    expect(await allowed(code)).to.deep.equal([
      { relation: 'other', rule: 'R3', subject_role: 'admin' },
      { relation: 'other', rule: 'R3', subject_role: 'admin' },
    ])
  })

  const loses: readonly (readonly [string, number, string, (user: TestUser) => Promise<unknown>])[] = [
    [
      'is suspended',
      401,
      'invalid_token',
      async ({ id }) => service.db.asOwner('update users set suspended_at = now() where id = $1', [id]),
    ],
    [
      'loses the role',
      403,
      'policy_denied',
      async ({ id }) => service.db.asOwner(`update users set role = 'guest' where id = $1`, [id]),
    ],
    [
      'is gone',
      401,
      'invalid_token',
      async ({ id }) =>
        service.db.asOwner(
          `begin; set local session_replication_role = replica; delete from users where id = ${id}; commit`,
        ),
    ],
  ]
  for (const [what, status, problem, lose] of loses) {
    it(`binds the next request where the caller ${what}`, async () => {
      const code = await addLink()
      expect((await change(code)).status).to.equal(200)
      await lose(editor)
      for (const answer of [
        await change(code, { json: { target: 'https://example.com/too-late' } }),
        await service.request('DELETE', `/links/${code}`, { token: editor.token }),
        await service.request('POST', '/links', {
          token: editor.token,
          json: { target: 'https://example.com/too-late' },
        }),
        // what is refused for another reason is refused for this one first
        await change(code, { json: { target: 1 } }),
      ])
        expect([answer.status, at(answer.json, 'code')], answer.text).to.deep.equal([status, problem])
      expect(await targetOf(code)).to.equal(TARGET)
    })
  }

  it('records a refusal as it would without a memory', async () => {
    const code = await addLink()
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [editor.id])
    const answers = [await service.request('GET', '/links', { token: editor.token }), await change(code)]
    const ids = answers.map(({ headers }) => headers.get('X-Request-ID'))
    const recorded = async () =>
      service.db.asOwner<{ subject_id: string | null; layer: string; rule: string; effect: string }>(
        'select subject_id, layer, rule, effect from decisions where request_id = any ($1) order by id',
        [ids],
      )
    while ((await recorded()).length < 2) continue
    const [asked, remembered] = await recorded()
    expect(remembered).to.deep.equal(asked)
    expect(remembered).to.deep.equal({ subject_id: null, layer: 'gateway', rule: 'invalid_token', effect: 'deny' })
  })

  it('records the role that the caller has, and not the one that they had', async () => {
    const code = await addLink()
    await service.db.asOwner(`update users set role = 'viewer' where id = $1`, [editor.id])
    expect((await change(code)).status).to.equal(200)
    expect(await allowed(code)).to.deep.equal([{ relation: 'own', rule: 'R5', subject_role: 'viewer' }])
  })

  it('binds the next request where the sign-in is over', async () => {
    const [{ family } = { family: '' }] = await service.db.asOwner<{ family: string }>(
      `insert into refresh_tokens (family, user_id, token_hash, scope, expires_at) values (gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), '', now() + interval '1 day') returning family`,
      [editor.id],
    )
    const token = (
      await service.issuer.sign({
        subject: editor.id,
        scope: 'link:create link:update',
        ttlSeconds: 600,
        signIn: family,
      })
    ).token
    const user = { ...editor, token }
    const code = await addLink(user)
    expect((await change(code, { user })).status).to.equal(200)
    await service.db.asOwner('update refresh_tokens set revoked_at = now() where family = $1', [family])
    const refused = await change(code, { user, json: { target: 'https://example.com/too-late' } })
    expect([refused.status, at(refused.json, 'code')]).to.deep.equal([401, 'invalid_token'])
    expect(await targetOf(code)).to.equal(TARGET)
  })

  it('refuses nobody by what is remembered: a role that was given binds the next request, too', async () => {
    const guest = await service.addUser('guest')
    expect((await service.request('POST', '/links', { token: guest.token, json: { target: TARGET } })).status).to.equal(
      403,
    )
    await service.db.asOwner(`update users set role = 'editor' where id = $1`, [guest.id])
    expect((await service.request('POST', '/links', { token: guest.token, json: { target: TARGET } })).status).to.equal(
      201,
    )
  })

  it('answers a version, and a change of nothing, from what is stored', async () => {
    const code = await addLink()
    const tag = (await change(code)).headers.get('ETag') ?? ''
    const [{ id } = { id: '' }] = await service.db.asOwner<{ id: string }>('select id from links where code = $1', [
      code,
    ])
    const unchanged = await change(code, { json: {} })
    expect([unchanged.status, textAt(unchanged.json, 'id'), unchanged.headers.get('ETag')]).to.deep.equal([
      200,
      id,
      tag,
    ])
    expect((await change(code, { headers: { 'If-Match': '"1-1"' } })).status).to.equal(412)
    expect((await change(code, { headers: { 'If-Match': '*' } })).status).to.equal(200)
    expect((await change(code, { headers: { 'If-Match': tag } })).status).to.equal(412)
    const theirs = await addLink(await service.addUser('editor'))
    expect((await change(theirs, { json: {} })).status).to.equal(403)
    expect((await change(theirs, { headers: { 'If-Match': '*' } })).status).to.equal(403)
  })

  it('follows a link to its new owner, in the middle of whatever its old one does', async () => {
    const code = await addLink()
    expect((await change(code)).status).to.equal(200)
    const other = await service.addUser('editor')
    await service.db.asOwner(
      `begin; set local session_replication_role = replica; update links set owner_id = ${other.id} where code = '${code}'; commit`,
    )
    expect((await change(code)).status).to.equal(403)
    expect((await change(code, { user: other })).status).to.equal(200)
  })

  it('never tries again where nobody knows whether it was done', async () => {
    let made = 0
    const lost = await startTestService({
      db: service.db,
      composeLayers: (layers): Layers => ({
        ...layers,
        data: (rule, context) => {
          const store = layers.data(rule, context)
          if (typeof store !== 'object' || store === null || !('create' in store) || typeof store.create !== 'function')
            return store
          const { create } = store
          return {
            ...store,
            create: async (...given: readonly unknown[]) => {
              made += 1
              await Reflect.apply(create, store, given)
              throw databaseAway(new Error('the answer was lost'))
            },
          }
        },
      }),
    })
    try {
      const before = await service.db.asOwner('select from links where owner_id = $1', [editor.id])
      expect(
        (await lost.request('POST', '/links', { token: await lost.tokenFor(editor), json: { target: TARGET } })).status,
      ).to.equal(503)
      expect(made).to.equal(1)
      expect(await service.db.asOwner('select from links where owner_id = $1', [editor.id])).to.have.length(
        before.length + 1,
      )
    } finally {
      await lost.stop()
    }
  })
})
