import { expect } from 'chai'

import { openPool } from '../../src/database/pool.js'
import type { Database } from '../../src/database/database.js'
import type { Statement } from '../../src/database/statement.js'
import { at, listAt, textAt } from '../support/json.js'
import { addLink, DECIDED, freshCode, storedLink } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

// Rights, policies, views and functions are in test/database/catalogue.test.ts; each query past the other layers in
// test/alone/data.test.ts.

const METACHARACTERS = [
  "Robert'); drop table links;--",
  `"; delete from users where ''=''; --`,
  "' or '1'='1",
  '$1 $2 ?',
  ':name',
  '%_%',
  '\\',
  "\\'",
  '/* */',
  '--',
  ';',
  '`id`',
  '${7*7}',
  '{{7*7}}',
  '__proto__',
  'null',
  '{}',
  "E'\\x41'",
  'a\u2028b',
  '\u{1f600}',
  'ﬀ',
]

describe('the database under attack', () => {
  let callers: Callers
  let service: TestService
  let pool: Database
  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    pool = openPool({ connection: service.db.service, size: 1, deadlineMs: 5_000 })
  })
  after(async () => {
    await pool.close()
    await service.stop()
  })

  it('stores what SQL, patterns and templates mean something by as it is, and finds it as text', async () => {
    const {
      editor: { token, id },
    } = callers
    for (const text of METACHARACTERS) {
      expect((await service.request('PATCH', '/users/me', { token, json: { name: text } })).json, text).to.include({
        name: text,
      })
      expect(await service.db.asOwner('select name from users where id = $1', [id])).to.deep.equal([{ name: text }])
      const made = await service.request('POST', '/users/me/tokens', { token, json: { name: text, scopes: [] } })
      expect(made.json, text).to.include({ name: text })
      expect(
        (await service.request('DELETE', `/users/me/tokens/${textAt(made.json, 'id')}`, { token })).status,
      ).to.equal(204)
      const target = `https://example.com/?q=${encodeURIComponent(text)}'"`
      const link = await service.request('POST', '/links', { token, json: { target, code: freshCode('meta') } })
      const code = textAt(link.json, 'code')
      expect(await storedLink(service.db, code), link.text).to.include({ target })
      const found = await service.request('GET', `/links?q=${encodeURIComponent(encodeURIComponent(text))}`, { token })
      expect(
        listAt(found.json, 'data').map((each) => at(each, 'code')),
        text,
      ).to.include(code)
      expect((await service.request('GET', `/${code}`)).headers.get('Location')).to.equal(target)
    }
    // what was meant to be dropped, deleted and shown
    const [counts] = await service.db.asOwner<{ users: string; links: string }>(
      'select (select count(*) from users) as users, (select count(*) from links) as links',
    )
    expect(counts).to.deep.equal({ users: '4', links: String(METACHARACTERS.length) })
  })

  it('keeps row-level security on a plan that was made for another role or user of the same connection', async () => {
    const { editor, other } = callers
    for (const owner of [editor.id, other.id]) for (let i = 0; i < 3; i += 1) await addLink(service.db, { owner })
    const read: Statement = { name: 'cached_read', text: 'select distinct owner_id from links order by 1' }
    const change: Statement = { name: 'cached_change', text: 'update links set target = target returning owner_id' }
    const enter = (role: string, id: string | null): Statement => ({
      name: 'enter',
      text: 'select enter($1, $2)',
      values: [role, id],
    })
    const ownersBy = async (role: string, id: string | null, statement: Statement) => {
      const results = await pool.flush([enter(role, id), ...(statement === change ? [DECIDED] : []), statement])
      return [...new Set(results.at(-1)?.rows.map((row): unknown => at(row, 'owner_id')))]
    }
    const [everybody] = [
      (await service.db.asOwner<{ owner_id: string }>('select distinct owner_id from links order by 1')).map(
        ({ owner_id }) => owner_id,
      ),
    ]
    expect(everybody).to.have.length(2)
    for (const statement of [read, change]) {
      // more than five times, so that the server settles on a generic plan
      for (let round = 0; round < 8; round += 1) {
        expect((await ownersBy('links_any', null, statement)).sort(), 'all').to.deep.equal(everybody)
        expect(await ownersBy('links_own', editor.id, statement), 'one').to.deep.equal([editor.id])
        expect(await ownersBy('links_own', other.id, statement), 'another').to.deep.equal([other.id])
        expect(await ownersBy('links_own', null, statement), 'nobody').to.deep.equal([])
      }
    }
    expect(
      await pool.run({ ...read, name: 'cached_read' }).then(
        () => null,
        (error: unknown) => error,
      ),
    ).to.have.property('code', '42501')
  })

  it('answers an upsert on a row that the caller cannot see with 409; by SQL it changes nothing', async () => {
    const { editor, other } = callers
    const code = await addLink(service.db, { owner: other.id, target: 'https://example.com/kept' })
    expect(
      (
        await service.request('POST', '/links', {
          token: editor.token,
          json: { code, target: 'https://example.com/stolen' },
        })
      ).json,
    ).to.include({ status: 409, code: 'code_taken' })
    const upsert = await pool
      .flush([
        { text: 'select enter($1, $2)', values: ['links_own', editor.id] },
        DECIDED,
        {
          text: `insert into links (code, target, owner_id) values ($1, 'https://example.com/stolen', $2)
                 on conflict (code) do update set target = excluded.target`,
          values: [code, editor.id],
        },
      ])
      .then(
        () => null,
        (error: unknown) => error,
      )
    expect(upsert).to.have.property('code', '42501')
    expect(await storedLink(service.db, code)).to.deep.equal({
      code,
      target: 'https://example.com/kept',
      owner_id: other.id,
    })
  })
})
