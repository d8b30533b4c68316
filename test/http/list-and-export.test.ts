import { expect } from 'chai'
import type { CastingContext } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { z } from 'zod'

import { unguardCell } from '../../src/csv/cell.js'
import { at, listAt, textAt } from '../support/json.js'
import { BY_HAND, addLink, addManyLinks, freshCode, storedLinks } from '../support/records.js'
import { sendRaw } from '../support/raw-http.js'
import type { TestService, TestUser } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'
import { until } from '../support/until.js'

const SORTS = ['-created_at', 'created_at', 'code', '-code'] as const
const COLUMNS =
  'id,code,target,owner_id,created_at,updated_at,title,note,tags,status,active,starts_at,expires_at,max_visits,' +
  'has_password,forward_query'

/** What a cell of the CSV stands for. */
const castCell = (cell: string, { header, column }: CastingContext): unknown => {
  const text = unguardCell(cell)
  if (header) return text
  if (column === 'tags') return text === '' ? [] : text.split(',')
  if (text === '') return null
  return column === 'status' || column === 'max_visits'
    ? Number(text)
    : column === 'active' || column === 'has_password' || column === 'forward_query'
      ? text === 'true'
      : text
}

/** An export holds the link; its visits have exports of their own. */
const exported = (link: unknown): unknown => {
  const { visits: _, url: __, etag: ___, ...rest } = Object(link)
  return rest
}

const Exported = z.array(z.looseObject({ code: z.string(), target: z.string() }))

describe('lists and exports', () => {
  let callers: Callers
  let service: TestService

  before(async () => {
    callers = await startWithCallers({ environment: { DATABASE_POOL_SIZE: '2', REQUEST_DEADLINE_MS: '3000' } })
    service = callers.service
    await service.db.asOwner(
      `
      with decided as (select set_config('app.decision', $3, false))
      insert into links (code, target, owner_id)
      select case when n % 2 = 0 then 'Even-' else 'odd_' end || md5(n::text),
             'https://example.com/' || n || case when n % 10 = 0 then '/Ten%' else '' end,
             case when n % 3 = 0 then $1 else $2 end::bigint
        from generate_series(1, 90) n, decided`,
      [callers.other.id, callers.editor.id, BY_HAND],
    )
  })
  after(() => service.stop())

  const get = (query: string, user: TestUser = callers.editor) =>
    service.request('GET', `/links${query}`, { token: user.token })

  /** All pages of a list; `meanwhile` runs after each of them. */
  const walk = async (
    query: string,
    user: TestUser,
    meanwhile: (page: number) => Promise<void> = async () => {},
  ): Promise<readonly unknown[]> => {
    const all: unknown[] = []
    let cursor: unknown = ''
    for (let page = 1; cursor !== null; page += 1) {
      const answer = await get(`?${query}${cursor === '' ? '' : `&cursor=${String(cursor)}`}`, user)
      expect(answer.status, answer.text).to.equal(200)
      all.push(...listAt(answer.json, 'data'))
      cursor = at(answer.json, 'next_cursor')
      await meanwhile(page)
    }
    return all
  }
  const codesOf = (links: readonly unknown[]) => links.map((link) => textAt(link, 'code'))

  for (const sort of SORTS) {
    it(`pages by ${sort} hold every own link once, in order, whatever their size`, async () => {
      const whole = await walk(`sort=${sort}&limit=100`, callers.editor)
      expect(whole).to.have.length(60)
      const key = (link: unknown) =>
        sort.endsWith('code') ? textAt(link, 'code') : textAt(link, 'id').padStart(19, '0')
      const sorted = [...whole].sort((a, b) => (key(a) < key(b) ? -1 : 1) * (sort.startsWith('-') ? -1 : 1))
      expect(codesOf(whole)).to.deep.equal(codesOf(sorted))
      for (const limit of [1, 7, 59, 60])
        expect(await walk(`sort=${sort}&limit=${limit}`, callers.editor), String(limit)).to.deep.equal(whole)
    })

    it(`pages by ${sort} neither repeat nor lose a link that stays, while others come and go`, async () => {
      const before = codesOf(await walk(`sort=${sort}&limit=100`, callers.editor))
      const made: string[] = []
      const removed: string[] = []
      const seen = codesOf(
        await walk(`sort=${sort}&limit=9`, callers.editor, async (page) => {
          made.push(
            await addLink(service.db, { owner: callers.editor.id, code: freshCode('AAA') }),
            await addLink(service.db, { owner: callers.editor.id, code: freshCode('zzz') }),
          )
          const gone = before[(page * 13) % before.length]
          if (
            gone !== undefined &&
            !removed.includes(gone) &&
            (await service.request('DELETE', `/links/${gone}`, { token: callers.editor.token })).status === 204
          )
            removed.push(gone)
        }),
      )
      expect(new Set(seen).size).to.equal(seen.length)
      for (const code of before) if (!removed.includes(code)) expect(seen).to.include(code)
      for (const code of made) await service.request('DELETE', `/links/${code}`, { token: callers.editor.token })
      for (const code of removed) await addLink(service.db, { owner: callers.editor.id, code })
    })
  }

  it('a cursor of another sort, a changed one, and one that was made up are refused', async () => {
    const { json } = await get('?limit=2&sort=code')
    const cursor = textAt(json, 'next_cursor')
    expect((await get(`?limit=2&sort=code&cursor=${cursor}`)).status).to.equal(200)
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = [
      encode(['code', "' or 1=1 --"]),
      encode(['code', 7]),
      encode(['code']),
      encode({ 0: 'code', 1: 'x' }),
      encode(['code', 'a', 'b']),
      encode(null),
      `${cursor.slice(0, -3)}AAA`,
      '*',
      'a'.repeat(401),
    ]
    for (const day of ['2026-02-30', '0000-01-01', '2026-13-01']) {
      const answer = await get(`?limit=2&cursor=${encode(['-created_at', `${day}T00:00:00.000Z 1`])}`)
      expect(answer.json, day).to.include({ status: 400, code: 'invalid_query' })
    }
    for (const each of [...forged, cursor]) {
      const answer = await get(`?limit=2&sort=${each === cursor ? '-code' : 'code'}&cursor=${encodeURIComponent(each)}`)
      expect(answer.json, each).to.include({ status: 400, code: 'invalid_query' })
    }
    for (const key of ['0', '-1', '9223372036854775808', '1e3', 'x'])
      expect((await get(`?cursor=${encode(['-created_at', key])}`)).status, key).to.equal(400)
  })

  it('a cursor of another list is refused', async () => {
    const { token } = callers.admin
    const { json } = await service.request('GET', '/users?limit=1', { token })
    const cursor = textAt(json, 'next_cursor')
    expect((await service.request('GET', `/users?limit=1&cursor=${cursor}`, { token })).status).to.equal(200)
    for (const list of [
      '/links',
      '/users/invitations',
      '/audit/decisions',
      '/audit/timeline',
      '/links?state=deleted',
    ]) {
      const joint = list.includes('?') ? '&' : '?'
      expect((await service.request('GET', `${list}${joint}cursor=${cursor}`, { token })).status, list).to.equal(400)
    }
  })

  it('a cursor of somebody else shows nothing of theirs', async () => {
    const { json } = await get('?limit=2', callers.other)
    const answer = await get(`?limit=100&cursor=${textAt(json, 'next_cursor')}`)
    for (const link of listAt(answer.json, 'data')) expect(at(link, 'owner_id')).to.equal(callers.editor.id)
  })

  it('q finds what the code or the target contains, in any case, as text', async () => {
    expect(await walk('q=EVEN-&limit=100', callers.admin)).to.have.length(45)
    const tens = (await storedLinks(service.db)).filter(({ target }) => target.endsWith('/Ten%'))
    expect(codesOf(await walk('q=/ten%25&limit=4&sort=code', callers.admin)))
      .to.deep.equal(tens.map(({ code }) => code))
      .and.have.length.of.at.least(3)
    expect(await walk('q=%25%25&limit=4', callers.admin)).to.have.length(0)
    for (const link of await walk('q=odd_&limit=100', callers.editor)) expect(textAt(link, 'code')).to.match(/^odd_/)
  })

  it('an admin sees all links, and those of one owner where asked', async () => {
    expect(await walk('limit=100', callers.admin)).to.have.length(90)
    expect(await walk(`limit=100&owner_id=${callers.other.id}`, callers.admin)).to.have.length(30)
    expect(await walk('owner_id=4611686018427387904', callers.admin)).to.have.length(0)
  })

  it('an owner_id that is not their own shows an editor nothing', async () => {
    expect(await walk(`owner_id=${callers.other.id}`, callers.editor)).to.have.length(0)
    expect(await walk(`owner_id=${callers.editor.id}&limit=100`, callers.editor)).to.have.length(60)
  })

  it('a user without links has an empty page', async () => {
    expect((await get('', callers.viewer)).json).to.deep.equal({ data: [], next_cursor: null })
    expect((await get('/export', callers.viewer)).text).to.equal(`${COLUMNS}\n`)
    expect((await get('/export?format=ndjson', callers.viewer)).text).to.equal('')
  })

  it('an export holds what the pages hold, as NDJSON and as CSV', async () => {
    for (const user of [callers.editor, callers.admin]) {
      const pages = await walk('sort=created_at&limit=100', user)
      const ndjson = await get('/export?format=ndjson', user)
      expect(ndjson.headers.get('Content-Type')).to.equal('application/x-ndjson')
      expect(ndjson.headers.get('Content-Disposition')).to.equal('attachment; filename="links.ndjson"')
      expect(
        ndjson.text
          .trimEnd()
          .split('\n')
          .map((line): unknown => JSON.parse(line)),
      ).to.deep.equal(pages.map(exported))
      const csv = await get('/export', user)
      expect(csv.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8')
      const [header, ...lines] = csv.text.trimEnd().split('\n')
      expect(header).to.equal(COLUMNS)
      expect(lines.map((line) => line.split(',')[1])).to.deep.equal(codesOf(pages))
    }
  })

  it('an export holds the links of a list with the same filters', async () => {
    const { id } = callers.other
    await service.db.asOwner(
      `with decided as (select set_config('app.decision', $1, false))
       update links set active = code not like 'Even-1%',
              tags = case when id % 2 = 0 then '{sale,it''s}'::text[] else '{}' end
         from decided`,
      [BY_HAND],
    )
    const filters = [
      'q=EVEN-',
      'q=/ten%25',
      'tag=sale',
      'tag=sale&q=odd_',
      'state=inactive',
      'state=active&q=7',
      'state=expired',
      `owner_id=${id}`,
      `owner_id=${id}&q=odd&state=active`,
      'created_from=2001-01-01&created_to=2002-01-01',
      'created_from=2001-01-01T10:00:00Z',
    ]
    for (const user of [callers.editor, callers.admin]) {
      for (const filter of filters) {
        const listed = codesOf(await walk(`${filter}&sort=created_at&limit=100`, user))
        const { status, text } = await get(`/export?${filter}`, user)
        expect(status, filter).to.equal(200)
        const [, ...rows] = text.trimEnd().split('\n')
        expect(
          rows.map((row) => row.split(',')[1]),
          filter,
        ).to.deep.equal(listed)
      }
    }
    for (const query of ['state=deleted', 'sort=code', 'limit=2', 'cursor=x', 'q='])
      expect((await get(`/export?${query}`)).status, query).to.equal(400)
  })

  it('a time whose + arrived as a space is refused with the way to write it', async () => {
    const refused = async (path: string) => {
      const { status, json } = await service.request('GET', path, { token: callers.admin.token })
      expect(status, path).to.equal(400)
      return at(json, 'detail')
    }
    for (const path of ['/links?created_from', '/visits?to', '/audit/decisions?from']) {
      expect(await refused(`${path}=2026-11-01T00:00:00+01:00`), path).to.contain('%2B')
      for (const time of ['2026-13-01', 'x', '2026-11-01T00:00:00%2B25:00'])
        expect(await refused(`${path}=${time}`), `${path}=${time}`).to.not.contain('%2B')
    }
  })

  it('a period that ends before it begins is refused by the name of its end', async () => {
    for (const [path, from, to] of [
      ['/links', 'created_from', 'created_to'],
      ['/links/export', 'created_from', 'created_to'],
      ['/audit/decisions', 'from', 'to'],
      ['/audit/timeline', 'from', 'to'],
      ['/audit/evidence', 'from', 'to'],
    ] as const) {
      for (const [start, end] of [
        ['2026-02-01', '2026-01-01'],
        ['2026-01-01', '2026-01-01T01:00:00%2B01:00'],
      ] as const) {
        const query = `${path}?${to}=${end}&${from}=${start}`
        const { status, json } = await service.request('GET', query, { token: callers.admin.token })
        expect([status, at(json, 'errors')], query).to.deep.equal([
          400,
          [{ field: to, message: `must be later than ${from}` }],
        ])
      }
    }
  })

  it('an export finds any text that a list finds', async () => {
    const owner = await service.addUser('viewer')
    await addLink(service.db, { owner: owner.id, target: String.raw`https://example.com/'\"$1 %_` })
    const unit = fc.constantFrom("'", '\\', '"', '$1', '?', '%', '_', '-', ' ', ';', ')', 'é', '\u{1f600}', 'x')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 8 }), async (q) => {
        const query = new URLSearchParams({ q }).toString()
        const [page, file] = await Promise.all([get(`?${query}`, owner), get(`/export?${query}&format=ndjson`, owner)])
        expect([page.status, file.status]).to.deep.equal([200, 200])
        const lines = file.text.split('\n').filter((line) => line !== '')
        expect(lines).to.have.length(listAt(page.json, 'data').length)
      }),
      { numRuns: 60, examples: ["'", '\\', String.raw`'\"$1`, '$1', String.raw`\'; --`].map((q) => [q]) },
    )
  })

  it('a CSV cell keeps commas and quotation marks, and starts no formula', async () => {
    const code = await addLink(service.db, { owner: callers.viewer.id, target: 'https://example.com/?a="b",c' })
    const dash = await addLink(service.db, {
      owner: callers.viewer.id,
      code: `-${freshCode('1+1')}`.replaceAll('+', '_'),
    })
    const { text } = await get('/export', callers.viewer)
    expect(text).to.include('"https://example.com/?a=""b"",c"')
    expect(text).to.include(`,'${dash},`).and.include(code)
  })

  it('whatever text a target is, both forms give it back, and the times that the pages show', async () => {
    const owner = await service.addUser('viewer')
    const targets = fc.sample(
      fc.string({
        unit: fc.constantFrom(
          '"',
          ',',
          '\n',
          '\r',
          '\\',
          "'",
          'é',
          '\u2028',
          '\u{1f600}',
          '\t',
          '\u0001',
          '\u0002',
          '.',
          'a',
          ' ',
          ';',
          '=',
          '$',
        ),
        minLength: 1,
        maxLength: 12,
      }),
      { numRuns: 200, seed: 7 },
    )
    const codes = await Promise.all(targets.map(async (target) => addLink(service.db, { owner: owner.id, target })))
    const byCode = new Map(codes.map((code, i) => [code, targets[i]]))
    const shown = new Map(Exported.parse(await walk('limit=100', owner)).map((link) => [link.code, link]))
    const ndjson = (await get('/export?format=ndjson', owner)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line))
    const csv: unknown = parse((await get('/export', owner)).text, {
      columns: true,
      cast: castCell,
      record_delimiter: '\n',
      relax_quotes: false,
    })
    for (const form of [ndjson, csv]) {
      const links = Exported.parse(form)
      expect(links.map(({ code, target }) => [code, target])).to.have.deep.members([...byCode])
      for (const link of links) expect(link, link.code).to.deep.equal(exported(shown.get(link.code)))
    }
  })

  it('times have three digits, and pages lose no link at equal times', async () => {
    const owner = await service.addUser('viewer')
    const fractions = ['', '.1', '.12', '.123', '.9', '.009']
    const codes = Array.from({ length: 301 }, (_, i) => `time-${i + 1}`)
    await addManyLinks(service.db, { owner: owner.id, count: codes.length, prefix: 'time-' })
    await service.db.asOwner('alter table links disable trigger link_decision')
    await service.db.asOwner(
      `update links set created_at = ('2026-02-28 23:59:59' || fraction || 'Z')::timestamptz,
              updated_at = ('2026-02-28 23:59:59' || other || 'Z')::timestamptz
         from (select code, ($2::text[])[1 + n % 6] as fraction, ($2::text[])[1 + n / 6 % 6] as other
                 from unnest($1::text[]) with ordinality as each (code, n)) wanted
        where links.code = wanted.code`,
      [codes, fractions],
    )
    await service.db.asOwner('alter table links enable trigger link_decision')
    const timeOf = (i: number) => `2026-02-28T23:59:59.${(fractions[i % 6] ?? '').slice(1).padEnd(3, '0')}Z`
    const wanted = new Map(codes.map((code, i) => [code, [timeOf(i + 1), timeOf(Math.floor((i + 1) / 6))]]))
    const lines = (await get('/export', owner)).text.trimEnd().split('\n').slice(1)
    const csv = lines.map((line) => line.split(','))
    const ndjson = Exported.parse(
      (await get('/export?format=ndjson', owner)).text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    )
    const oldestFirst = await walk('sort=created_at&limit=100', owner)
    expect(csv.map(([, code]) => code)).to.deep.equal(codesOf(oldestFirst))
    expect(new Map(csv.map(([, code = '', , , ...times]) => [code, times.slice(0, 2)]))).to.deep.equal(wanted)
    expect(new Map(ndjson.map(({ code, created_at, updated_at }) => [code, [created_at, updated_at]]))).to.deep.equal(
      wanted,
    )
    for (const sort of ['created_at', '-created_at']) {
      const seen = codesOf(await walk(`sort=${sort}&limit=7`, owner))
      expect(seen).to.have.members(codes)
      expect(seen).to.have.length(codes.length)
    }
  })

  it('a reader that leaves, before the first byte or after it, gives the connection back', async () => {
    await addManyLinks(service.db, { owner: callers.viewer.id, count: 5_000, prefix: 'many-', targetLength: 1_900 })
    for (let i = 0; i < 6; i += 1) {
      // as many at once as may: the reader of before has left, and the server may not have heard of it yet
      await until('an export is free', async () => {
        const { status } = await service.request('HEAD', '/links/export', { token: callers.viewer.token })
        expect(status).to.be.oneOf([200, 503])
        return status === 200
      })
      const leaving = new AbortController()
      const response = await fetch(`${service.baseUrl}/links/export`, {
        headers: { Authorization: `Bearer ${callers.viewer.token}` },
        signal: leaving.signal,
      })
      if (i % 2 === 0) await response.body?.getReader().read()
      leaving.abort()
    }
    const answers = await Promise.all(Array.from({ length: 6 }, () => get('')))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200])
    const whole = await until('an export is free', async () => {
      const answer = await get('/export?format=ndjson', callers.viewer)
      return answer.status !== 503 && answer
    })
    expect(whole.text.trimEnd().split('\n')).to.have.length(5_002)
    expect(await sendRaw(service.baseUrl, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.include(
      '200 OK',
    )
  })

  it('HTTP/1.0 cannot tell a broken export from a whole one, and is refused (426)', async () => {
    const { token } = callers.editor
    const ask = (path: string, version: string) =>
      sendRaw(
        service.baseUrl,
        `GET ${path} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      )
    for (const path of ['/links/export', '/links/export?format=ndjson']) {
      const answer = await ask(path, '1.0')
      expect(answer).to.match(/^HTTP\/1\.1 426 /)
      expect(answer).to.match(/\r\nUpgrade: HTTP\/1\.1\r\n/)
      expect(answer).to.match(/\r\nConnection: Upgrade, close\r\n/)
      expect(answer).to.include('"code":"upgrade_required"')
    }
    expect(await ask('/links', '1.0'), 'what has a length needs no other version').to.match(/^HTTP\/1\.1 200 /)
    expect(await ask('/links/export', '1.1'), 'a refused one holds nothing').to.match(/^HTTP\/1\.1 200 /)
  })

  it('an export that fails after it began is whole to nobody', async () => {
    const owner = await service.addUser('viewer')
    // more than all buffers on the way hold
    await addManyLinks(service.db, { owner: owner.id, count: 10_000, prefix: 'most-', targetLength: 1_900 })
    const { body } = await fetch(`${service.baseUrl}/links/export`, {
      headers: { Authorization: `Bearer ${owner.token}` },
    })
    const reader = body?.getReader()
    expect(await reader?.read()).to.include({ done: false })
    expect(
      await service.db.asOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where query like 'copy%' and datname = current_database() and pid <> pg_backend_pid()`,
      ),
    ).to.have.length(1)
    const rest = async () => {
      while ((await reader?.read())?.done !== true);
    }
    expect(await rest().catch((error: unknown) => error)).to.have.property('message', 'terminated')
  })
})
