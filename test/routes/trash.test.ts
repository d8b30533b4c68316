import { expect } from 'chai'

import { backgroundWork } from '../../src/jobs/background-work.js'
import { at, listAt, textAt } from '../support/json.js'
import { freshCode } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

const TARGET = 'https://example.com/a'
const FIELDS = {
  title: 'Kept',
  note: 'also',
  tags: ['x', 'y'],
  status: 308,
  max_visits: 9,
  forward_query: true,
  expires_at: '2999-01-01T00:00:00.000Z',
}

describe('the trash', () => {
  let service: TestService
  let ada: TestUser
  let bob: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
    bob = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  const made = async (json: object = {}) => {
    const answer = await service.request('POST', '/links', {
      token: ada.token,
      json: { code: freshCode(), target: TARGET, ...json },
    })
    expect(answer.status, answer.text).to.equal(201)
    return { id: textAt(answer.json, 'id'), code: textAt(answer.json, 'code'), json: answer.json }
  }
  const remove = async (code: string, { token } = ada) => service.request('DELETE', `/links/${code}`, { token })
  const restore = (id: string, { token } = ada, json?: object) =>
    service.request('POST', `/links/${id}/restore`, { token, ...(json && { json }) })
  const deleted = async ({ token } = ada, query = '') =>
    listAt((await service.request('GET', `/links?state=deleted${query}`, { token })).json, 'data')

  it('keeps a deleted link as it was: its code is free at once, and it comes back with everything', async () => {
    const { id, code, json } = await made({ ...FIELDS, password: 'open sesame' })
    expect((await remove(code)).status).to.equal(204)
    expect((await service.request('GET', `/${code}`)).status).to.equal(404)
    expect((await service.request('GET', `/links/${code}`, { token: ada.token })).status).to.equal(404)
    const [kept] = await deleted()
    expect(kept).to.deep.include({ ...FIELDS, id, code, has_password: true })
    expect(at(kept, 'deleted_at')).to.match(/^\d{4}-/)

    const back = await restore(id)
    expect(back.status, back.text).to.equal(200)
    const { updated_at: _, etag: __, ...before } = Object(json)
    expect(back.json).to.deep.include({ ...before, etag: `"${id}-2"` })
    expect(back.headers.get('ETag')).to.equal(`"${id}-2"`)
    expect((await service.request('GET', `/links/${code}`, { token: ada.token })).json).to.deep.equal(back.json)
    expect((await restore(id)).status).to.equal(404)
    const [row] = await service.db.asOwner('select password_hash from links where code = $1', [code])
    expect(row)
      .to.have.property('password_hash')
      .that.matches(/^\$argon2id\$/)
  })

  it('gives a code to whoever takes it meanwhile: 409, and another code restores', async () => {
    const { id, code } = await made()
    await remove(code)
    await service.request('POST', '/links', { token: bob.token, json: { code, target: TARGET } })
    const refused = await restore(id)
    expect(refused.json).to.include({ status: 409, code: 'code_taken' })
    expect(await deleted()).to.deep.include(Object((await deleted()).find((each) => at(each, 'id') === id)))
    expect((await restore(id, ada, { code: 'admin' })).status).to.equal(422)
    const other = freshCode()
    expect(at((await restore(id, ada, { code: other })).json, 'code')).to.equal(other)
    expect((await service.request('GET', `/${other}`)).status).to.equal(302)
  })

  it('is for whoever may delete the link: nobody else sees or restores it', async () => {
    const { id, code } = await made()
    await remove(code)
    expect((await restore(id, bob)).json).to.include({ status: 403, code: 'policy_denied' })
    const named = await until('the refusal is in the log', async () => {
      const query = `link=${id}&effect=deny`
      const { json } = await service.request('GET', `/audit/decisions?${query}`, { token: root.token })
      return listAt(json, 'data')[0]
    })
    expect(at(named, 'resource')).to.include({ type: 'link', code })
    expect((await deleted(bob)).map((each) => at(each, 'id'))).not.to.include(id)
    expect((await deleted(root)).map((each) => at(each, 'id'))).to.include(id)
    expect((await service.request('POST', `/links/${id}/restore`)).status).to.equal(401)
    const reading = await service.tokenFor(ada, 'link:read link:update')
    expect((await service.request('GET', '/links?state=deleted', { token: reading })).json).to.include({
      code: 'insufficient_scope',
    })
    expect((await restore(id, root)).status).to.equal(200)
    for (const wrong of ['a-code', '0', '99999999999999999999', '404']) {
      const { status, json } = await restore(wrong)
      expect(status).to.equal(404)
      expect(at(json, 'detail')).to.include('by its id; GET /links?state=deleted')
    }
  })

  it('pages by time, newest first, and takes no other order', async () => {
    const cara = await service.addUser('editor')
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      const answer = await service.request('POST', '/links', { token: cara.token, json: { target: TARGET } })
      await remove(textAt(answer.json, 'code'), cara)
      ids.unshift(textAt(answer.json, 'id'))
    }
    const seen: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null;) {
      const { json } = await service.request('GET', `/links?state=deleted&limit=2${String(cursor)}`, {
        token: cara.token,
      })
      seen.push(...listAt(json, 'data').map((each) => at(each, 'id')))
      const next = at(json, 'next_cursor')
      cursor = next === null ? null : `&cursor=${String(next)}`
    }
    expect(seen).to.deep.equal(ids)
    expect((await service.request('GET', '/links?state=deleted&sort=code', cara)).json).to.deep.include({
      status: 400,
      code: 'invalid_query',
    })
  })

  it('is searched and filtered like the list of links, for what the caller may restore', async () => {
    const [dora, admin] = [await service.addUser('editor'), await service.addUser('admin')]
    const tag = freshCode('tag')
    const links = [
      { title: 'Spring sale', tags: [tag, 'spring'] },
      { title: 'Autumn sale', tags: [tag] },
    ]
    const [spring, autumn, hers] = [await made(links[0]), await made(links[1]), await made(links[1])]
    for (const { code } of [spring, autumn]) expect((await remove(code)).status).to.equal(204)
    const given = { token: admin.token, json: { owner_id: dora.id } }
    expect((await service.request('POST', `/links/${hers.code}/transfer`, given)).status).to.equal(200)
    expect((await remove(hers.code, dora)).status).to.equal(204)

    const found = async (query: string, who = ada) => {
      const path = `/links?state=deleted&count=true&${query}`
      const { status, json, text } = await service.request('GET', path, { token: who.token })
      expect(status, text).to.equal(200)
      const ids = listAt(json, 'data').map((each) => at(each, 'id'))
      expect(at(json, 'count'), query).to.equal(ids.length)
      return ids
    }
    expect(await found(`tag=${tag}`)).to.deep.equal([autumn.id, spring.id])
    expect(await found(`tag=${tag}&q=SPRING`)).to.deep.equal([spring.id])
    expect(await found(`q=${autumn.code.toUpperCase()}`)).to.deep.equal([autumn.id])
    expect(await found(`q=${autumn.code}_`)).to.deep.equal([])
    expect(await found(`tag=${tag}&created_to=2026-01-01`)).to.deep.equal([])
    expect(await found(`tag=${tag}&created_from=2026-01-01`)).to.deep.equal([autumn.id, spring.id])
    expect(await found(`tag=${tag}`, dora)).to.deep.equal([hers.id])
    expect(await found(`owner_id=${dora.id}`)).to.deep.equal([])
    expect(await found(`tag=${tag}`, admin)).to.deep.equal([hers.id, autumn.id, spring.id])
    expect(await found(`tag=${tag}&owner_id=${dora.id}`, admin)).to.deep.equal([hers.id])

    const page = async (cursor: string) => {
      const path = `/links?state=deleted&limit=1&tag=${tag}${cursor}`
      return (await service.request('GET', path, { token: ada.token })).json
    }
    const first = await page('')
    const second = await page(`&cursor=${textAt(first, 'next_cursor')}`)
    expect([first, second].map((each) => at(listAt(each, 'data')[0], 'id'))).to.deep.equal([autumn.id, spring.id])
    expect(at(second, 'next_cursor')).to.equal(null)
  })

  it('forgets what has been there for longer than TRASH_DAYS', async () => {
    const [old, recent] = [await made(), await made()]
    await Promise.all([remove(old.code), remove(recent.code)])
    await service.db.asOwner(`update deleted_links set deleted_at = now() - interval '31 days' where id = $1`, [old.id])
    const [purge] = backgroundWork(service.database, { trashDays: 30, visitDays: 90 })
    expect(await purge?.run(() => false)).to.equal(1)
    expect((await restore(old.id)).status).to.equal(404)
    expect((await restore(recent.id)).status).to.equal(200)
  })

  it('is not there where TRASH_DAYS is 0', async () => {
    const without = await startTestService({ db: service.db, environment: { TRASH_DAYS: '0' } })
    try {
      const { id, code } = await made()
      expect(
        (await without.request('DELETE', `/links/${code}`, { token: await without.tokenFor(ada) })).status,
      ).to.equal(204)
      expect((await restore(id)).status).to.equal(404)
    } finally {
      await without.stop()
    }
  })

  it('holds every column of a link', async () => {
    const columns = (table: string) =>
      service.db.asOwner<{ name: string }>(
        `select column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_generated as name
           from information_schema.columns where table_name = $1 and column_name <> 'deleted_at' order by 1`,
        [table],
      )
    expect(await columns('deleted_links')).to.deep.equal(await columns('links'))
  })
})

describe('giving a link to somebody else', () => {
  let service: TestService
  let ada: TestUser
  let bob: TestUser
  let root: TestUser
  before(async () => {
    service = await startTestService()
    ada = await service.addUser('editor')
    bob = await service.addUser('editor')
    root = await service.addUser('admin')
  })
  after(() => service.stop())

  const made = async (owner = ada) => {
    const answer = await service.request('POST', '/links', {
      token: owner.token,
      json: { code: freshCode(), target: TARGET, ...FIELDS },
    })
    return { id: textAt(answer.json, 'id'), code: textAt(answer.json, 'code'), json: answer.json }
  }
  const give = (code: string, to: { readonly id: string }, { token } = root, headers = {}) =>
    service.request('POST', `/links/${code}/transfer`, { token, json: { owner_id: to.id }, headers })

  it('keeps everything but the owner, who manages it from then on', async () => {
    const { code, json } = await made()
    const given = await give(code, bob)
    expect(given.status, given.text).to.equal(200)
    const { updated_at: _, etag: __, ...before } = Object(json)
    expect(given.json).to.deep.include({ ...before, owner_id: bob.id })
    const change = (token: string) => service.request('PATCH', `/links/${code}`, { token, json: { title: 'Mine' } })
    expect((await change(ada.token)).status).to.equal(403)
    expect((await change(bob.token)).status).to.equal(200)
  })

  it('is for admins, until a row says otherwise: then an owner may give away their own, and no other', async () => {
    const { code } = await made()
    expect((await give(code, bob, ada)).json).to.include({ status: 403, code: 'role_not_allowed' })
    const policy = await service.request('GET', '/policy', { token: root.token })
    const edit = await service.request('POST', '/policy/changes', {
      token: root.token,
      headers: { 'If-Match': `"${String(at(policy.json, 'revision'))}"` },
      json: {
        add: [
          {
            ptype: 'p',
            priority: 545,
            rule: 'GIVE',
            role: 'user',
            action: 'link:transfer',
            reach: 'own',
            effect: 'allow',
          },
          { ptype: 'p2', role: 'editor', action: 'link:transfer' },
        ],
        remove: [],
        reason: 'owners may give links away',
      },
    })
    expect(edit.status, edit.text).to.equal(200)
    expect((await give(code, bob, ada)).status).to.equal(200)
    expect((await give(code, ada, ada)).json).to.include({ status: 403, code: 'policy_denied' })
  })

  it('needs a user to give it to, and the version that If-Match names', async () => {
    const { code } = await made()
    expect((await give(code, { id: '4611686018427387904' })).json).to.deep.include({
      status: 422,
      errors: [{ field: 'owner_id', message: 'must be a user' }],
    })
    expect((await give(code, bob, root, { 'If-Match': '"1-1"' })).status).to.equal(412)
    expect((await give(freshCode('absent'), bob)).status).to.equal(404)
  })

  it('gives all links of a user, and says how many remain', async () => {
    const cara = await service.addUser('editor')
    for (let i = 0; i < 5; i += 1) await made(cara)
    const all = (to: { readonly id: string }, { token } = root) =>
      service.request('POST', `/users/${cara.id}/links/transfer`, { token, json: { owner_id: to.id } })
    expect((await all(bob, ada)).status).to.equal(403)
    expect((await all(cara)).status).to.equal(422)
    expect((await all({ id: '999999' })).status).to.equal(422)
    expect((await all(bob)).json).to.deep.equal({ transferred: 5, remaining: 0 })
    expect((await all(bob)).json).to.deep.equal({ transferred: 0, remaining: 0 })
    expect((await all({ id: '999999' })).status).to.equal(422)
  })

  it('can be followed in the log, by any code that the link had and by its id, also when it is gone', async () => {
    const { id, code } = await made()
    const renamed = freshCode()
    await service.request('PATCH', `/links/${code}`, { token: ada.token, json: { code: renamed } })
    await give(renamed, bob)
    await service.request('DELETE', `/links/${renamed}`, { token: bob.token })
    await service.request('POST', `/links/${id}/restore`, { token: bob.token, json: { code } })
    await service.request('DELETE', `/links/${code}`, { token: root.token })
    const entries = async (link: string) =>
      listAt((await service.request('GET', `/audit/decisions?link=${link}`, { token: root.token })).json, 'data')
    const all = await entries(id)
    expect(all.map((each) => [at(each, 'action'), at(each, 'resource', 'code')])).to.deep.equal([
      ['link:delete', code],
      ['link:delete', code],
      ['link:delete', renamed],
      ['link:transfer', renamed],
      ['link:update', renamed],
      ['link:create', code],
    ])
    expect(new Set(all.map((each) => at(each, 'resource', 'id')))).to.deep.equal(new Set([id]))
    expect(at(all[1], 'change')).to.deep.equal({ restored: true })
    expect(at(all[3], 'change')).to.deep.equal({ owner: [ada.id, bob.id] })
    expect(at(all[4], 'change')).to.deep.equal({ code: [code, renamed] })
    expect((await entries(code)).map((each) => at(each, 'action'))).to.deep.equal([
      'link:delete',
      'link:delete',
      'link:update',
      'link:create',
    ])
    expect(await entries(renamed)).to.have.length(3)
  })
})
