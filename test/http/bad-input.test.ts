import { expect } from 'chai'

import { at, listAt } from '../support/json.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import { addLink, freshCode, storedLink, storedLinks } from '../support/records.js'
import type { TestService } from '../support/service.js'
import { startWithCallers, type Callers } from '../support/two-callers.js'

const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('bad input', () => {
  let callers: Callers
  let service: TestService
  let token: string
  let stored: unknown

  before(async () => {
    callers = await startWithCallers()
    service = callers.service
    token = callers.editor.token
    await addLink(service.db, { code: 'known', owner: callers.editor.id })
    stored = await storedLinks(service.db)
  })
  after(() => service.stop())
  // nothing of all this is stored, and nothing is changed
  afterEach(async () => {
    expect(await storedLinks(service.db)).to.deep.equal(stored)
  })

  const create = (json: unknown) => service.request('POST', '/links', { token, json })
  const send = (body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    service.request('POST', '/links', { token, body, headers })
  const fieldsOf = (json: unknown) => listAt(json, 'errors').map((fault) => at(fault, 'field'))

  describe('targets', () => {
    const own = () => new URL(service.baseUrl)
    const cases: Readonly<Record<string, () => string>> = {
      'javascript:': () => 'javascript:alert(1)',
      'JavaScript: in other case': () => 'JaVaScRiPt://example.com/%0aalert(1)',
      'data:': () => 'data:text/html,<script>alert(1)</script>',
      'file:': () => 'file:///etc/passwd',
      'ftp:': () => 'ftp://example.com/',
      'vbscript:': () => 'vbscript:x',
      'blob:': () => 'blob:https://example.com/1',
      'no scheme': () => '//example.com/',
      'a path': () => '/links',
      'a name alone': () => 'example.com',
      'an empty text': () => '',
      backslashes: () => 'https:\\\\example.com\\',
      'a backslash before the host ends': () => 'https://example.com\\@other.example/',
      'CR and LF': () => 'https://example.com/\r\nSet-Cookie: a=b',
      'LF at the end': () => 'https://example.com/\n',
      'a tab inside the scheme': () => 'java\tscript:alert(1)',
      NUL: () => 'https://example.com/\u0000',
      'a space': () => 'https://example.com/a b',
      'a space before it': () => ' https://example.com/',
      'a user': () => 'https://user@example.com/',
      'a user and a password': () => 'https://user:password@example.com/',
      'an empty user': () => 'https://@example.com/',
      'an empty user and password': () => 'https://:@example.com/',
      'the own origin': () => `${service.baseUrl}/known`,
      'the own origin without a path': () => service.baseUrl,
      'the own origin over https': () => `https://${own().host}/known`,
      'the own origin with a dot at its end': () => `http://${own().hostname}.:${own().port}/known`,
      'the own origin in other digits': () => `http://0x7f000001:${own().port}/known`,
      'the own origin as one number': () => `http://2130706433:${own().port}/known`,
      'no host': () => 'https://',
      'a third slash, which browsers skip and other clients do not': () => 'https:///example.com/',
      'a port beyond 65535': () => 'https://example.com:65536/',
      '2,049 characters': () => `https://example.com/${'a'.repeat(2_049 - 20)}`,
      'more than 2,048 characters once encoded': () => `https://example.com/${'é'.repeat(700)}`,
    }
    for (const [what, target] of Object.entries(cases)) {
      it(`${what}: 422 naming the target, on a creation and on a change`, async () => {
        for (const answer of [
          await create({ target: target() }),
          await service.request('PATCH', '/links/known', { token, json: { target: target() } }),
        ]) {
          expect(answer.json, answer.text).to.include({ status: 422, code: 'validation_failed' })
          expect(fieldsOf(answer.json)).to.deep.equal(['target'])
        }
      })
    }
    for (const target of [7, null, true, ['https://example.com/'], { href: 'https://example.com/' }]) {
      it(`${JSON.stringify(target)} as a target: 422`, async () => {
        expect((await create({ target })).json).to.include({ status: 422 })
      })
    }
  })

  describe('codes', () => {
    const BAD = [
      '',
      'a/b',
      'a%2Fb',
      '..',
      '.',
      'a.b',
      'a b',
      'ä',
      'сode',
      '链接',
      '\u{1f600}',
      'a\u0000',
      'a\n',
      'x'.repeat(65),
      '%00',
      'a?b',
      'a#b',
      '../x',
    ]
    for (const code of [...BAD, 7, null, ['a']]) {
      it(`${JSON.stringify(code)}: 422 naming the code`, async () => {
        for (const answer of [
          await create({ target: 'https://example.com/', code }),
          await service.request('PATCH', '/links/known', { token, json: { code } }),
        ]) {
          expect(answer.json, answer.text).to.include({ status: 422 })
          expect(fieldsOf(answer.json)).to.deep.equal(['code'])
        }
      })
    }
    for (const code of [
      'links',
      'LINKS',
      'Users',
      'docs',
      'hEaLtHz',
      'policy',
      'auth',
      'invitations',
      'metrics',
      'access',
      'audit',
    ]) {
      it(`the reserved word ${code}: 422`, async () => {
        expect((await create({ target: 'https://example.com/', code })).json).to.include({ status: 422 })
      })
    }
    for (const path of [
      'a%2Fb',
      '%2e%2e',
      '%00',
      'a%00b',
      'a.b',
      '%C3%A4',
      '%F0%9F%98%80',
      'x'.repeat(65),
      'a%20b',
      'known%0a',
      'known%2F',
      'known%00',
    ]) {
      it(`${path} in a path names no link: 404, for reading, changing, deleting and following`, async () => {
        // as it is: fetch() would take %2e%2e for a way up
        const head = `Host: example.com\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`
        const json = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
        for (const asked of [
          `GET /links/${path} HTTP/1.1\r\n${head}\r\n`,
          `PATCH /links/${path} HTTP/1.1\r\n${head}${json}`,
          `DELETE /links/${path} HTTP/1.1\r\n${head}\r\n`,
          `GET /${path} HTTP/1.1\r\n${head}\r\n`,
        ])
          expect(statusOf(await sendRaw(service.baseUrl, asked)), asked).to.equal(404)
      })
    }
    for (const path of ['%', '%zz', '%C3', '%E0%80%80', 'known%']) {
      it(`${path} in a path cannot be decoded: 400 or 404, and no 5xx`, async () => {
        for (const each of [`/links/${path}`, `/${path}`]) {
          const said = await sendRaw(
            service.baseUrl,
            `GET ${each} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
          )
          expect(statusOf(said), said).to.be.oneOf([400, 404])
        }
      })
    }
  })

  describe('bodies', () => {
    for (const body of [
      '{',
      '',
      '{"target":}',
      '{"target":"https://example.com/"',
      '{"target":"https://example.com/",}',
      "{'target':1}",
      '// {}\n{}',
      '{} {}',
      'NaN',
      '{"target":"\u0007"}',
      '{"target":"\\ud8"}',
      '\uFEFF{}{',
      'undefined',
      '{"a":01}',
    ]) {
      it(`${JSON.stringify(body)} is not JSON: 400, or 422 where nothing is there`, async () => {
        const answer = await send(body)
        expect(answer.status, answer.text).to.equal(body === '' ? 422 : 400)
      })
    }
    it('bytes that are not UTF-8: 400', async () => {
      const said = await sendRaw(
        service.baseUrl,
        `POST /links HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 3\r\n\r\n"\xff',
      )
      expect(statusOf(said), said).to.equal(400)
    })
    it('33 levels of nesting: 400; 100,000 levels too, and the process lives', async () => {
      for (const depth of [33, 10_000, 30_000]) {
        expect((await send(`${'['.repeat(depth)}${']'.repeat(depth)}`)).json, String(depth)).to.include({
          status: 400,
          code: 'malformed_json',
        })
        expect((await send('{"a":'.repeat(Math.min(depth, 10_000)))).json).to.include({ status: 400 })
      }
      expect((await send('['.repeat(32) + ']'.repeat(32))).status).to.equal(422)
    })
    it('a body over 64 KiB: 413, by its announced length and without one', async () => {
      const mega = JSON.stringify({ target: `https://example.com/${'a'.repeat(1_000_000)}` })
      for (let i = 0; i < 5; i += 1) expect((await send(mega)).json).to.include({ status: 413, code: 'body_too_large' })
      const chunked = await fetch(`${service.baseUrl}/links`, {
        method: 'POST',
        headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
        duplex: 'half',
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(mega))
            controller.close()
          },
        }),
      })
      expect(chunked.status).to.equal(413)
      await chunked.text()
      expect((await send(`{"target":"https://example.com/","x":"${'a'.repeat(65_400)}"}`)).json).to.include({
        status: 422,
      })
    })
    it('another media type, or an encoded body: 415', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'application/merge-patch+json',
        'multipart/form-data; boundary=x',
        'application/json; charset=iso-8859-1',
        'application/json; charset="UTF-16"',
      ]) {
        expect((await send('{"target":"https://example.com/"}', { 'Content-Type': type })).json, type).to.include({
          status: 415,
          code: 'unsupported_media_type',
        })
      }
      for (const encoding of ['gzip', 'br', 'deflate', 'nonsense']) {
        expect(
          (await send('{"target":"https://example.com/"}', { ...JSON_TYPE, 'Content-Encoding': encoding })).json,
        ).to.include({ status: 415 })
      }
      for (const charset of ['utf-8', '"UTF-8"'])
        expect((await send('{"x":1}', { 'Content-Type': `application/json; charset=${charset}` })).status).to.equal(422)
    })
    it('a body that could be read in two ways, by two media types or another transfer coding: refused', async () => {
      const json = '{"target":"https://example.com/"}'
      const plain = `Content-Length: ${json.length}\r\n\r\n${json}`
      const chunked = `\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`
      for (const [headers, status] of [
        [`Content-Type: application/json\r\nContent-Type: text/plain\r\n${plain}`, 400],
        [`Content-Type: application/json\r\ncontent-type: application/json\r\n${plain}`, 400],
        [`Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked${chunked}`, 415],
      ] as const) {
        const head = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`
        const said = await sendRaw(service.baseUrl, `POST /links HTTP/1.1\r\n${head}${headers}`)
        expect(statusOf(said), said).to.equal(status)
      }
    })
    it('unknown fields: 422 naming each of them', async () => {
      const answer = await create({
        target: 'https://example.com/',
        owner_id: callers.other.id,
        id: '1',
        created_at: 'x',
        version: 1,
      })
      expect(answer.json).to.include({ status: 422 })
      expect(fieldsOf(answer.json)).to.have.members(['owner_id', 'id', 'created_at', 'version'])
      expect(
        fieldsOf(
          (await service.request('PATCH', '/links/known', { token, json: { owner_id: callers.other.id } })).json,
        ),
      ).to.deep.equal(['owner_id'])
    })
    it('members that are given twice: 422 naming them', async () => {
      expect(fieldsOf((await send('{"target":"https://example.com/","target":"javascript:1"}')).json)).to.deep.equal([
        'target',
      ])
      expect(
        fieldsOf((await send('{"target":"https://example.com/","t\\u0061rget":"https://example.com/2"}')).json),
      ).to.deep.equal(['target'])
    })
    it('text that the database cannot hold: 422 naming it, in an item of many too', async () => {
      for (const note of ['half a pair: \ud83d', 'a zero: \u0000']) {
        const answer = await create({ target: 'https://example.com/', note })
        expect(answer.json).to.include({ status: 422 })
        expect(fieldsOf(answer.json)).to.deep.equal(['note'])
        const many = await service.request('POST', '/links/bulk', {
          token,
          json: { operation: 'create', items: [{ target: 'https://example.com/', note }] },
        })
        expect(many.status, many.text).to.equal(many.status === 200 ? 200 : 422)
        expect(many.text).to.include('note')
      }
    })

    it('a name that is more than one line: 422', async () => {
      for (const name of ['two\nlines', 'a bell \u0007', 'red \u001b[31m'])
        expect((await service.request('PATCH', '/users/me', { token, json: { name } })).json).to.include({
          status: 422,
        })
    })

    it('wrong types: 422', async () => {
      for (const json of [null, [], 'text', 7, true, {}, { code: 'only-a-code' }])
        expect((await create(json)).json, JSON.stringify(json)).to.include({ status: 422 })
    })
  })

  describe('queries', () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=1.5',
      'limit=1e1',
      'limit=x',
      'limit=',
      'limit=%00',
      'limit=10&limit=20',
      'sort=target',
      'sort=',
      'sort=-id',
      'sort=code;drop table links',
      'cursor=',
      'cursor=x',
      'owner_id=0',
      'owner_id=-1',
      'owner_id=1e3',
      'owner_id=01',
      'owner_id=9223372036854775808',
      'owner_id=x',
      'q=',
      'q=%00',
      `q=${'a'.repeat(201)}`,
      'page=2',
      'unknown=1',
      'Limit=1',
      'limit[]=1',
      '__proto__=1',
      'q=a&q=b',
    ]) {
      it(`GET /links?${query.slice(0, 40)}: 400 naming the parameter`, async () => {
        const answer = await service.request('GET', `/links?${query}`, { token })
        expect(answer.json, answer.text).to.include({ status: 400, code: 'invalid_query' })
        expect(fieldsOf(answer.json)).to.deep.equal([decodeURIComponent(query.split('=')[0] ?? '')])
      })
    }
    for (const path of ['/audit/decisions', '/audit/timeline', '/audit/evidence'])
      for (const from of [
        '0000-01-01T00:00:00Z',
        '2026-01-01T00:00:00%2B23:59',
        `2026-01-01T00:00:00.${'1'.repeat(300)}Z`,
      ])
        it(`GET ${path}?from=${from.slice(0, 30)} is no failure`, async () => {
          const { token: reader } = await service.addUser('admin')
          const answer = await service.request('GET', `${path}?from=${from}`, { token: reader })
          expect(answer.status, answer.text).to.be.oneOf([200, 400])
          if (from.startsWith('0000')) expect(answer.json).to.include({ status: 400, code: 'invalid_query' })
        })

    it('bytes that are not UTF-8: 400 naming each parameter and the rule, on every route that takes some', async () => {
      const wrong = (field: string) => ({ field, message: 'must be percent-encoded UTF-8' })
      for (const [query, ...fields] of [
        ['q=%C3%28', 'q'],
        ['q=caf%E9', 'q'],
        ['limit=1&q=%ff&sort=%ED%A0%80&q=%FF', 'q', 'sort'],
        ['q=a%C3&tag=%A4', 'q', 'tag'],
        ['%E4=1', '\ufffd'],
      ] as const)
        for (const path of ['/links', '/links/export', '/tags', '/links/known/qr']) {
          const answer = await service.request('GET', `${path}?${query}`, { token })
          expect(answer.json, answer.text).to.include({ status: 400, code: 'invalid_query' })
          expect(at(answer.json, 'errors'), query).to.deep.equal(fields.map(wrong))
        }
      for (const q of ['caf%C3%A9', '%F0%9F%98%80', '100%', '%EF%BF%BD'])
        expect((await service.request('GET', `/links?q=${q}`, { token })).status, q).to.equal(200)
    })
    it('a form whose bytes are not UTF-8: 400 naming the field', async () => {
      const answer = await service.request('POST', '/known', {
        body: 'password=caf%E9',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
      expect(answer.json, answer.text).to.include({ status: 400, code: 'invalid_request' })
      expect(fieldsOf(answer.json)).to.deep.equal(['password'])
    })
    it('a visitor’s query is not ours: a redirect takes it in any encoding, and passes it on as it is', async () => {
      expect((await service.request('GET', '/known?q=%E4&%C3%28')).status).to.equal(302)
      const code = freshCode('passes')
      expect((await create({ target: 'https://example.com/', code, forward_query: true })).status).to.equal(201)
      const { headers } = await service.request('GET', `/${code}?q=caf%E9&x=%C3%28`)
      expect(headers.get('Location')).to.equal('https://example.com/?q=caf%E9&x=%C3%28')
      expect((await service.request('GET', `/${code}+?q=%E4`)).json).to.include({
        target: 'https://example.com/?q=%E4',
      })
      expect((await service.request('DELETE', `/links/${code}`, { token })).status).to.equal(204)
    })

    it('a search for what SQL or a pattern means something by finds it as text', async () => {
      for (const q of ['%25', '_', '\\', "'", "' or 1=1 --", '$1', '?', '??']) {
        const answer = await service.request('GET', `/links?q=${encodeURIComponent(q)}`, { token })
        expect(answer.json, q).to.deep.equal({ data: [], next_cursor: null })
      }
    })
    it('parameters of a route that takes none are ignored, twice too', async () => {
      expect((await service.request('GET', '/known?utm=1&utm=2')).status).to.equal(302)
      expect((await service.request('GET', '/links/export?format=xml', { token })).status).to.equal(400)
    })
  })

  describe('methods and addresses', () => {
    it('a wrong method: 405 with Allow, without looking for a token', async () => {
      const cases = [
        ['PUT', '/links', 'GET, HEAD, OPTIONS, POST'],
        ['DELETE', '/links', 'GET, HEAD, OPTIONS, POST'],
        ['POST', '/links/known', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
        ['PATCH', '/known', 'GET, HEAD, OPTIONS, POST'],
        ['POST', '/known+', 'GET, HEAD, OPTIONS'],
        ['POST', '/known%2B', 'GET, HEAD, OPTIONS'],
        ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
        ['DELETE', '/healthz', 'GET, HEAD, OPTIONS'],
      ] as const
      for (const [method, path, allow] of cases) {
        const answer = await service.request(method, path)
        expect(answer.json, `${method} ${path}`).to.include({ status: 405, code: 'method_not_allowed' })
        expect(answer.headers.get('Allow')?.split(', ').sort().join(', ')).to.equal(allow)
      }
    })
    it('TRACE: 405; an unknown method: 501; OPTIONS: 204 with Allow', async () => {
      const raw = (method: string, path = '/links') =>
        sendRaw(service.baseUrl, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(statusOf(await raw('TRACE'))).to.equal(405)
      expect(statusOf(await raw('PROPFIND'))).to.equal(501)
      expect(statusOf(await raw('NONSENSE'))).to.equal(501)
      for (const [path, allow] of [
        ['/links', 'GET, HEAD, POST, OPTIONS'],
        ['/known', 'GET, HEAD, POST, OPTIONS'],
        ['/known+', 'GET, HEAD, OPTIONS'],
        ['/healthz', 'GET, HEAD, OPTIONS'],
      ] as const) {
        const options = await service.request('OPTIONS', path)
        expect([options.status, options.headers.get('Allow')], path).to.deep.equal([204, allow])
      }
    })
    it('HEAD answers as GET does, without a body', async () => {
      for (const path of ['/links/known', '/known', '/healthz', '/openapi.json', '/docs', '/links/there-is-none']) {
        const [get, head] = [await service.request('GET', path), await service.request('HEAD', path)]
        expect(head.text, path).to.equal('')
        for (const name of ['Content-Type', 'ETag', 'Location', ...(get.text === '' ? [] : ['Content-Length'])])
          expect(head.headers.get(name), `${path} ${name}`).to.equal(get.headers.get(name))
        expect(head.status).to.equal(get.status)
      }
    })
    it('another case, a trailing slash, a double slash, a dot segment in disguise: 404', async () => {
      for (const path of [
        '/Links/known',
        '/links/known/',
        '/links//known',
        '/LINKS',
        '/links/',
        '//links',
        '/users/me/',
        '/Healthz',
        '/links/known/x',
        '/.',
        '/%2e%2e/links',
        '/links;x=1',
      ]) {
        const said = await sendRaw(
          service.baseUrl,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
        )
        expect(statusOf(said), path).to.equal(404)
      }
      expect((await service.request('GET', '/Known')).status, 'codes are case-sensitive').to.equal(404)
    })
    it('two Host headers, none, or one that names no host: 400', async () => {
      const raw = (hosts: string) =>
        sendRaw(service.baseUrl, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
      for (const hosts of [
        'Host: a\r\nHost: b\r\n',
        'Host: a\r\nhost: a\r\n',
        '',
        'Host: a b\r\n',
        'Host: a/b\r\n',
        'Host: user@a\r\n',
        'Host:\r\n',
      ]) {
        expect(statusOf(await raw(hosts)), JSON.stringify(hosts)).to.equal(400)
      }
      expect(statusOf(await raw('Host: evil.example\r\n'))).to.equal(200)
    })
    it('no address in an answer comes from the Host header', async () => {
      const said = await sendRaw(
        service.baseUrl,
        'GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n' +
          'Forwarded: host=evil.example\r\nConnection: close\r\n\r\n',
      )
      expect(said).to.include(service.baseUrl).and.not.include('evil.example')
    })
    it('what is not HTTP: 400, or 431 for too many headers', async () => {
      expect(statusOf(await sendRaw(service.baseUrl, 'no http\r\n\r\n'))).to.equal(400)
      expect(
        statusOf(await sendRaw(service.baseUrl, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)),
      ).to.equal(431)
      expect(
        statusOf(
          await sendRaw(
            service.baseUrl,
            'POST /links HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
          ),
        ),
      ).to.equal(400)
    })
  })

  describe('every refusal', () => {
    it('is a problem with a request id that the header repeats, and no stack or SQL', async () => {
      for (const answer of [
        await create({}),
        await send('{'),
        await service.request('GET', '/nothing/here'),
        await service.request('GET', '/links'),
        await service.request('PUT', '/links'),
      ]) {
        expect(answer.headers.get('Content-Type')).to.match(/^application\/problem\+json/)
        expect(answer.json).to.include({
          status: answer.status,
          request_id: answer.headers.get('X-Request-ID'),
          type: `urn:linkgate:problem:${String(at(answer.json, 'code'))}`,
        })
        expect(answer.text).to.not.match(/node_modules|\bat .*:\d+:\d+|select |insert |\.ts\b/)
      }
    })
    it('keeps a harmless X-Request-ID of the caller, and replaces every other', async () => {
      const idOf = async (given: string) =>
        (await service.request('GET', '/healthz', { headers: { 'X-Request-ID': given } })).headers.get('X-Request-ID')
      for (const given of ['abc-123_X.y', 'a'.repeat(200), 'urn:x/1?a=b#c', '<script>', 'a,b', '"'])
        expect(await idOf(given), given).to.equal(given)
      for (const given of ['a b', 'a\tb', 'a'.repeat(201), 'é', ''])
        expect(await idOf(given), given).to.match(/^[0-9a-f-]{36}$/)
    })
  })

  it('what is right is still right', async () => {
    const targets = [
      `https://example.com/${'a'.repeat(2_048 - 20)}`,
      'HTTP://EXAMPLE.com',
      'https://example.com/?q=%0a#x',
      'https://[2001:db8::1]:8443/',
      'https://example.com/a"b',
    ]
    for (const target of targets) {
      const answer = await create({ target, code: freshCode('right') })
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.json).to.include({ target })
      const code = String(at(answer.json, 'code'))
      expect((await service.request('GET', `/${code}`)).headers.get('Location')).to.equal(target)
      expect((await service.request('DELETE', `/links/${code}`, { token })).status).to.equal(204)
      expect(await storedLink(service.db, code)).to.equal(undefined)
    }
    const unicode = await create({ target: 'https://пример.example/путь' })
    expect(unicode.json).to.include({ target: 'https://xn--e1afmkfd.example/%D0%BF%D1%83%D1%82%D1%8C' })
    expect(unicode.json)
      .to.have.property('code')
      .that.matches(/^[2-9a-km-zA-HJ-NP-Z]{8}$/)
    expect((await service.request('DELETE', `/links/${String(at(unicode.json, 'code'))}`, { token })).status).to.equal(
      204,
    )
  })
})
