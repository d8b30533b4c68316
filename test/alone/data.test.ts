import { text } from 'node:stream/consumers'

import { expect } from 'chai'
import * as fc from 'fast-check'

import type { Decision } from '../../src/domain/decision.js'
import { bind, readerOf, type Binding } from '../../src/layers/4-data/context.js'
import { knex, ownedRows, toCopy, toStatement } from '../../src/layers/4-data/query.js'
import type { Caller } from '../../src/layers/caller.js'
import type { DataContext } from '../../src/layers/rules.js'
import { at, listAt } from '../support/json.js'
import { startLoneLayer, type LoneLayer } from '../support/lone-layer.js'
import { addDeletedLink, addLink, storedLink, storedLinks } from '../support/records.js'
import type { TestUser } from '../support/service.js'
import { soon } from '../support/soon.js'

const ROLES = { own: 'links_own', any: 'links_any' } as const

const NOBODY: Caller = {
  user: null,
  scopes: new Set(),
  tokenId: null,
  signIn: null,
  personalToken: null,
  external: null,
  address: '127.0.0.1',
}

describe('the data layer alone, with gateway, endpoint and object layer open', () => {
  let alone: LoneLayer
  let mine: readonly string[]

  before(async () => {
    alone = await startLoneLayer('data')
  })
  after(() => alone.service.stop())

  beforeEach(async () => {
    const {
      service: { db },
      editor,
      stranger,
    } = alone
    await db.asOwner('truncate links')
    mine = [await addLink(db, { owner: editor.id }), await addLink(db, { owner: editor.id })].sort()
    await addLink(db, { owner: stranger.id })
    await addLink(db, { owner: null })
  })

  const contextOf = (user: TestUser | null): DataContext => {
    const snapshot = alone.service.policy.current()
    const decision: Decision = snapshot.decide(user, 'link:update', { owner_id: user?.id ?? null })
    return {
      caller: { ...NOBODY, user },
      snapshot,
      decision: { ...decision, effect: 'allow' },
      requestId: 'a-test',
      status: 200,
      deadline: soon(),
      idempotencyKey: null,
    }
  }
  const bound = (user: TestUser | null): Binding => bind(contextOf(user), user === null ? 'none' : 'own', ROLES)
  const ofOthers = async () =>
    (await storedLinks(alone.service.db)).filter(({ owner_id }) => owner_id !== alone.editor.id)

  it('changes and deletes nothing of another owner through the routes, though can() was never asked', async () => {
    const {
      service: { db },
      stranger,
      editor,
    } = alone
    const before = await ofOthers()
    for (const owner of [stranger.id, null]) {
      const code = await addLink(db, { owner })
      const link = await storedLink(db, code)
      for (const [method, json] of [
        ['DELETE', undefined],
        ['PATCH', { target: 'https://example.com/stolen' }],
      ] as const) {
        expect((await alone.as(editor, method, `/links/${code}`, json)).status, method).to.equal(409)
        expect(await storedLink(db, code)).to.deep.equal(link)
      }
      await db.asOwner('alter table links disable trigger user')
      await db.asOwner('delete from links where code = $1', [code])
      await db.asOwner('alter table links enable trigger user')
    }
    expect(await ofOthers()).to.deep.equal(before)
  })

  it('lists and exports own links alone', async () => {
    const { editor } = alone
    const listed = listAt((await alone.as(editor, 'GET', '/links')).json, 'data')
      .map((link) => at(link, 'code'))
      .sort()
    expect(listed).to.deep.equal(mine)
    const exported = (await alone.as(editor, 'GET', '/links/export?format=ndjson')).text
      .trim()
      .split('\n')
      .map((line) => at(JSON.parse(line), 'code'))
      .sort()
    expect(exported).to.deep.equal(mine)
  })

  it('an update that forgets the owner touches own rows alone', async () => {
    const {
      service: { database, db },
      editor,
    } = alone
    const others = await ofOthers()
    const [, updated] = await database.flush([
      bound(editor).enterChange(),
      { text: `update links set target = 'https://example.com/all'` },
    ])
    expect(updated?.rowCount).to.equal(2)
    expect(await ofOthers()).to.deep.equal(others)
    expect(
      (await storedLinks(db)).filter(({ target }) => target === 'https://example.com/all').map(({ code }) => code),
    ).to.deep.equal(mine)
  })

  it('a delete that forgets the owner touches own rows alone', async () => {
    const {
      service: { database, db },
      editor,
    } = alone
    const others = await ofOthers()
    const [, deleted] = await database.flush([bound(editor).enterChange(), { text: 'delete from links' }])
    expect(deleted?.rowCount).to.equal(2)
    expect(await storedLinks(db)).to.deep.equal(others)
  })

  it('a list and an export that forget the owner show own rows alone', async () => {
    const {
      service: { database },
      editor,
    } = alone
    const [, listed] = await database.flush([bound(editor).enterRead, { text: 'select code from links order by code' }])
    expect(listed?.rows.map((row) => at(row, 'code'))).to.deep.equal(mine)
    const streamed: unknown[] = []
    for await (const rows of database.stream(
      readerOf(bound(editor)),
      { text: 'select code from links order by code' },
      1,
    ))
      streamed.push(...rows.map(({ code }) => code))
    expect(streamed).to.deep.equal(mine)
    expect(
      await text(database.copy(readerOf(bound(editor)), 'copy (select code from links order by code) to stdout')),
    ).to.equal(mine.map((code) => `${code}\n`).join(''))
  })

  it('a row cannot be made for another owner, nor given away', async () => {
    const {
      service: { database },
      editor,
      stranger,
    } = alone
    const refusal = (text: string) =>
      database.flush([bound(editor).enterChange(), { text, values: [stranger.id] }]).then(
        () => null,
        (error: unknown) => at(error, 'code'),
      )
    expect(
      await refusal(`insert into links (code, target, owner_id) values ('a-gift', 'https://example.com/', $1)`),
    ).to.equal('42501')
    expect(await refusal('update links set owner_id = $1')).to.equal('42501')
  })

  it('the functions that give links away, past row-level security, give own ones alone', async () => {
    const {
      service: { database, db },
      editor,
      stranger,
    } = alone
    const others = await ofOthers()
    const ids = await db.asOwner<{ id: string }>('select id from links')
    const deleted = await addDeletedLink(db, stranger.id)
    const [, given] = await database.flush([
      bound(editor).enterChange(),
      { text: 'select code from give_links($1, $2)', values: [ids.map(({ id }) => id), editor.id] },
      { text: 'select give_deleted_links($1, $2)', values: [stranger.id, editor.id] },
    ])
    expect(given?.rows.map((row) => at(row, 'code')).sort()).to.deep.equal(mine)
    expect(await ofOthers()).to.deep.equal(others)
    expect(await db.asOwner('select owner_id from deleted_links where id = $1', [deleted])).to.deep.equal([
      { owner_id: stranger.id },
    ])
  })

  it('a caller whom the rows let reach nothing sees nothing', async () => {
    const {
      service: { database },
      editor,
    } = alone
    for (const none of [bound(null), bind(contextOf(editor), 'none', ROLES)]) {
      const [, listed] = await database.flush([none.enterRead, { text: 'select code from links' }])
      expect(listed?.rowCount).to.equal(0)
    }
  })

  it('the query builder alone, without row-level security, is bound to the owner all the same', async () => {
    const {
      service: { database, db },
      editor,
    } = alone
    const others = await ofOthers()
    const any = bind(contextOf(editor), 'any', ROLES)
    const own = { ...any, reach: 'own' } as const
    expect(
      await text(database.copy(readerOf(any), toCopy(ownedRows('links', own)().select('code').orderBy('code'), 'csv'))),
    ).to.equal(mine.map((code) => `${code}\n`).join(''))
    const [, listed, updated, deleted] = await database.flush([
      any.enterChange(),
      toStatement(ownedRows('links', own)().select('code')),
      toStatement(ownedRows('links', own)().update({ target: 'https://example.com/all' })),
      toStatement(ownedRows('links', own)().delete()),
    ])
    expect([listed?.rowCount, updated?.rowCount, deleted?.rowCount]).to.deep.equal([2, 2, 2])
    expect(await storedLinks(db)).to.deep.equal(others)
    for (const none of [
      { reach: 'none' },
      { reach: 'own', userId: null },
      { reach: 'others', userId: null },
    ] as const) {
      const deletion = ownedRows('links', { ...any, ...none })().delete()
      const [, nothing] = await database.flush([any.enterChange(), toStatement(deletion)])
      expect(nothing?.rowCount).to.equal(0)
    }
  })

  describe('a COPY, which takes no parameters', () => {
    const copyOf = (value: string | number | null | boolean | Date) =>
      toCopy(knex.select(knex.raw('to_json(?::text)::text', [value])), 'json lines')

    it('holds texts and numbers as literals: whatever they say, they are values', async () => {
      const reader = readerOf(bind(contextOf(alone.editor), 'any', ROLES))
      const values = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\\'"$?;-]{1,6}$/), fc.integer())
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          fc.pre(!String(value).includes('\0'))
          expect(JSON.parse(await text(alone.service.database.copy(reader, copyOf(value))))).to.equal(String(value))
        }),
        { examples: [["' or true --"], [String.raw`\' or true --`], ['$1 ?'], ['9223372036854775807'], [0]] },
      )
    })

    it('holds nothing else', () => {
      for (const value of [true, false, null, new Date(0), new Date(Number.NaN)])
        expect(() => copyOf(value), String(value)).to.throw('texts and numbers alone')
    })
  })
})
