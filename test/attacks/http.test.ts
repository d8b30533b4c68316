import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { setImmediate as turnOver } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

import { expect } from 'chai'

import { answerBrokenRequests } from '../../src/http/broken-request.js'
import { portOf } from '../../src/http/listen.js'
import { collectGarbage } from '../support/collect-garbage.js'
import { sendRaw, statusOf } from '../support/raw-http.js'
import { addLink, storedLinks } from '../support/records.js'
import { requestOf } from '../support/samples.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

const MEGABYTE = 1024 * 1024

/** As the contract has it: scripts and styles of this service alone, and no text becomes a script. */
const POLICY_OF_CONSOLE =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"

describe('HTTP under attack', () => {
  let service: TestService
  let editor: TestUser
  before(async () => {
    service = await startTestService()
    editor = await service.addUser('editor')
    await addLink(service.db, {
      code: 'known',
      owner: editor.id,
      target: 'https://example.com/?a=<script>alert(1)</script>&b="onload="x',
    })
  })
  after(() => service.stop())

  const raw = (text: string) => sendRaw(service.baseUrl, text)
  const get = (path: string, headers: string) => raw(`GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)

  describe('a Host', () => {
    for (const host of [
      'evil:x@good',
      'evil@good',
      'good, evil',
      'good:80:80',
      'good:x',
      'good:123456',
      'http://good',
      'good/../evil',
      'good?x',
      'good#x',
      '[::1',
      '::1',
      '%67ood',
      'göod',
      'a\tb',
      ' ',
      '',
    ]) {
      it(`${JSON.stringify(host)} is 400`, async () => {
        expect(statusOf(await get('/known', `Host: ${Buffer.from(host).toString('latin1')}\r\n`))).to.equal(400)
      })
    }
    it('twice is 400, also where both say the same, and so is none', async () => {
      for (const hosts of ['Host: a\r\nHost: a\r\n', 'Host: a\r\nHOST: b\r\n', 'Host: a\r\nX-A: b\r\nhost: c\r\n', ''])
        expect(statusOf(await get('/known', hosts)), JSON.stringify(hosts)).to.equal(400)
      expect(statusOf(await raw('GET /known HTTP/1.0\r\n\r\n'))).to.equal(400)
    })
    it('is followed by nobody: what the service prints has its own origin', async () => {
      for (const header of [
        'X-Forwarded-Host',
        'X-Host',
        'X-Original-Host',
        'Forwarded',
        'X-Forwarded-Proto',
        'X-Forwarded-Prefix',
        'X-Original-URL',
      ]) {
        const value = header === 'Forwarded' ? 'host=evil.example;proto=https' : 'evil.example'
        const said = await get('/.well-known/authzen-configuration', `Host: evil.example\r\n${header}: ${value}\r\n`)
        expect(statusOf(said)).to.equal(200)
        expect(said).to.include(service.baseUrl).and.not.include('evil.example')
      }
    })
  })

  it('a target that cannot be read is 400, with or without a token', async () => {
    for (const target of [
      'http://%@x/known',
      'http://%zz:x@x/known',
      'http://%E0%A4%A@x/known',
      'http://[::1/known',
      'http://xn--a/known',
      'http://',
      'https://?known',
    ]) {
      for (const headers of ['Host: x\r\n', `Host: x\r\nAuthorization: Bearer ${editor.token}\r\n`]) {
        for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
          const said = await raw(`${method} ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
          expect(statusOf(said), `${method} ${target}: ${said}`).to.equal(400)
          expect(said, `${method} ${target}`).to.include('"code":"invalid_request"')
        }
      }
    }
    expect(statusOf(await get('http://x/known', 'Host: x\r\n')), 'one that can be').to.equal(302)
  })

  it('headers of 100 KB, and of as many spaces as fit, are answered fast', async () => {
    for (const name of [
      'X-Forwarded-Host',
      'X-Forwarded-For',
      'Forwarded',
      'Cookie',
      'Accept',
      'If-Match',
      'If-None-Match',
      'Content-Type',
      'Authorization',
      'Idempotency-Key',
      'Origin',
    ]) {
      for (const [length, expected] of [
        [100_000, [431]],
        [15_000, [200, 302, 304, 400, 401]],
      ] as const) {
        for (const filling of [' ', ',', '"', 'a,', '\t']) {
          const said = await get('/known', `Host: x\r\n${name}: a${filling.repeat(length / filling.length)}b\r\n`)
          expect(statusOf(said), `${name} of ${length}`).to.be.oneOf([...expected])
        }
      }
    }
  })

  it('two ideas of where a request ends are refused: 400, and nothing behind it is served', async () => {
    const chunked = '0\r\n\r\n'
    for (const head of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      'Content-Length: 5\r\nContent-Length: 6\r\n',
      'Content-Length: 5, 6\r\n',
      'Content-Length: +5\r\n',
      'Content-Length: 0x5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      'Content-Length : 5\r\n',
      'X: a\nContent-Length: 5\r\n',
      ' Content-Length: 5\r\n',
    ]) {
      const said = await raw(
        `POST /auth/revoke HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n${chunked}` +
          'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      )
      expect(statusOf(said), JSON.stringify(head)).to.equal(400)
      expect(said, JSON.stringify(head)).to.not.include('"status":"ok"')
    }
  })

  it('a request whose head is too slow is not carried out after its 408, though the rest of it arrives', async () => {
    const carriedOut: unknown[] = []
    const server = createHttpServer({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 })
    server.on('request', ({ url }, response) => {
      carriedOut.push(url)
      response.end()
    })
    answerBrokenRequests(server, false, () => undefined)
    const closed = new Promise((resolve) => {
      server.once('connection', (socket) => socket.once('close', resolve))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // keeps its side open, as an attacker would
    const client = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true })
    try {
      client.on('error', () => undefined)
      client.write('GET /late HTTP/1.1\r\nHost: a.example\r\n')
      const [answer]: readonly unknown[] = await once(client, 'data')
      expect(String(answer)).to.match(/^HTTP\/1\.1 408 /)
      await once(client, 'end')
      client.end('\r\n')
      await closed
      expect(carriedOut).to.deep.equal([])
    } finally {
      client.destroy()
      server.close()
    }
  })

  describe('a body', () => {
    it('that says that it is encoded is 415 unread: corrupt, a bomb, twice over, or none of these', async () => {
      const bomb = gzipSync(Buffer.alloc(20 * MEGABYTE))
      const corrupt = Buffer.from([0x1f, 0x8b, 8, 0, 255, 255, 255, 255])
      for (const encoding of [
        'gzip',
        'br',
        'deflate',
        'zstd',
        'compress',
        'x-gzip',
        'gzip, gzip',
        'identity, gzip',
        'GZIP',
        'nonsense',
      ]) {
        for (const body of [corrupt, bomb.subarray(0, 60_000), Buffer.from('{}')]) {
          const response = await fetch(`${service.baseUrl}/links`, {
            method: 'POST',
            body,
            headers: {
              Authorization: `Bearer ${editor.token}`,
              'Content-Type': 'application/json',
              'Content-Encoding': encoding,
            },
          })
          expect(response.status, encoding).to.equal(415)
          await response.text()
        }
      }
    })

    it('of 100,000 levels is 400 as far as it is read, and 413 beyond', async () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const post = (depth: number) =>
          service.request('POST', '/links', {
            token: editor.token,
            body: open.repeat(depth) + close.repeat(depth),
            headers: { 'Content-Type': 'application/json' },
          })
        expect((await post(100_000)).status).to.equal(413)
        expect((await post(10_000)).status).to.equal(400)
      }
    })

    /**
     * Sends a body without an end, as fast as it is taken, until the server hangs up or so many bytes are gone; answers
     * what it said.
     */
    const pour = (
      head: string,
      chunk: Buffer,
      most: number,
    ): Promise<{ readonly said: string; readonly sent: number }> =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(service.baseUrl)
        const socket = connect(Number(port), hostname)
        let [said, sent] = ['', 0]
        socket.setEncoding('utf8').on('data', (text) => {
          said += String(text)
        })
        socket
          .on('error', () => undefined)
          .on('close', () => {
            resolve({ said, sent })
          })
        const more = () => {
          while (!socket.destroyed && sent < most) {
            sent += chunk.length
            if (!socket.write(chunk)) {
              socket.once('drain', more)
              return
            }
          }
          socket.end()
        }
        socket.write(head)
        more()
      })

    /** Bytes that somebody still holds: what the collector has not come to yet, or has not swept, is nobody's. */
    const held = async (): Promise<number> => {
      for (let least = Infinity; ;) {
        collectGarbage()
        await turnOver()
        const { heapUsed, external } = process.memoryUsage()
        const bytes = heapUsed + external
        // exact enough: each collection takes long
        if (bytes > least - MEGABYTE) return Math.min(bytes, least)
        least = bytes
      }
    }

    it('of 1 GB is 413, or 401 without a token, announced or not, and is not kept in memory', async () => {
      const chunk = Buffer.alloc(MEGABYTE / 4, 'a')
      const chunkOfTransfer = Buffer.concat([
        Buffer.from(`${chunk.length.toString(16)}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ])
      const authorization = `Authorization: Bearer ${editor.token}\r\n`
      const head = (framing: string, token: string) =>
        `POST /links HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${token}${framing}\r\n`
      let before = await held()
      for (const [framing, each] of [
        [`Content-Length: ${1024 * MEGABYTE}\r\n`, chunk],
        ['Transfer-Encoding: chunked\r\n', chunkOfTransfer],
      ] as const) {
        for (const [token, expected] of [
          [authorization, 413],
          ['', 401],
        ] as const) {
          const { said } = await pour(head(framing, token), each, 80 * MEGABYTE)
          expect(statusOf(said), said).to.equal(expected)
          const after = await held()
          expect(after - before, framing).to.be.lessThan(40 * MEGABYTE)
          before = after
        }
      }
    })
  })

  it('markup in a target is not in the answer of its redirect: it has no body', async () => {
    const said = await get('/known', 'Host: x\r\nAccept: text/html\r\n')
    const [head = '', body] = said.split('\r\n\r\n')
    expect(statusOf(said)).to.equal(302)
    expect(body).to.equal('')
    expect(head).to.match(/\r\nLocation: https:\/\/example\.com\/\?a=<script>alert\(1\)<\/script>&b="onload="x\r\n/)
    const shown = await service.request('GET', '/links/known')
    expect(shown.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    for (const path of ['/%3Cscript%3E', '/links/%3Cscript%3E', '/a/%3Cscript%3E', '/links?sort=%3Cscript%3E']) {
      const answer = await service.request('GET', path, { token: editor.token })
      expect(answer.headers.get('Content-Type'), path).to.match(/^application\/problem\+json/)
      expect(answer.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    }
  })

  it('a method that is not for here is 405, one that is not HTTP’s own 501, and neither does anything', async () => {
    const before = await storedLinks(service.db)
    const cases: Readonly<Record<string, readonly number[]>> = {
      TRACE: [405],
      PUT: [405],
      PROPFIND: [501],
      MKCOL: [501],
      LOCK: [501],
      SEARCH: [501],
      PURGE: [501],
      LINK: [501],
      QUERY: [501],
      'M-SEARCH': [501],
      NONSENSE: [501],
      get: [501],
      GETS: [501],
      'X-Y.Z': [501],
      // no method at all
      'DELETE\t': [400],
      'DELE TE': [400],
      'GET\u0000': [400],
      '(GET)': [400],
    }
    for (const [method, expected] of Object.entries(cases)) {
      for (const path of ['/links/known', '/links', '/known', '/nothing/here']) {
        if (path === '/nothing/here' && expected[0] === 405) continue
        const said = await raw(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${editor.token}\r\nConnection: close\r\n\r\n`,
        )
        expect(statusOf(said), `${method} ${path}`).to.be.oneOf([...expected])
        expect(said).to.not.include(editor.token)
      }
    }
    expect(await storedLinks(service.db)).to.deep.equal(before)
  })

  it('a token whose user is gone is 401 where there is no route, too', async () => {
    const { id, token } = await service.addUser('editor')
    await service.db.asOwner('delete from users where id = $1', [id])
    for (const [method, path] of [
      ['GET', '/nothing/here'],
      ['PUT', '/links'],
      ['PURGE', '/links'],
    ] as const) {
      const answer = await service.request(method, path, { token })
      expect(answer.json, `${method} ${path}`).to.include({ status: 401, code: 'invalid_token' })
    }
  })

  it('every answer has its security headers and an id, also to a refused or malformed request', async () => {
    const expectGuarded = (said: string, what: string): void => {
      const [head = ''] = said.split('\r\n\r\n')
      for (const line of [
        /^Content-Security-Policy: default-src 'none'/im,
        /^X-Content-Type-Options: nosniff/im,
        /^X-Frame-Options: DENY/im,
        /^Referrer-Policy: no-referrer/im,
        /^Cross-Origin-Resource-Policy: same-origin/im,
        /^X-Request-ID: [0-9a-f-]{36}/im,
      ])
        expect(head, what).to.match(line)
    }
    for (const route of service.routes) {
      const { method, path } = requestOf(route)
      for (const token of ['', `Authorization: Bearer ${editor.token}\r\n`, 'Authorization: Bearer x\r\n']) {
        expectGuarded(
          await raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${token}Content-Length: 0\r\nConnection: close\r\n\r\n`),
          `${method} ${path}`,
        )
      }
    }
    const broken = {
      'no HTTP': 'hello\r\n\r\n',
      'a bad method': 'NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n',
      'headers that are too large': `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      'no Host': 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      'an unknown Expect': 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nConnection: close\r\n\r\n',
      'two lengths': 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'an unknown method': 'PROPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'a path that cannot be decoded': 'GET /links/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'no path': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'an upgrade': 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    }
    for (const [what, text] of Object.entries(broken)) {
      const said = await raw(text)
      expect(statusOf(said), `${what}: ${said}`).to.be.lessThan(502)
      expectGuarded(said, what)
    }
  })

  it('every answer with a body names its type, and the character set where the type leaves that open', async () => {
    const admin = await service.addUser('admin')
    const types = new Set<string>()
    for (const route of service.routes) {
      const { method, path, options } = requestOf(route, admin.id)
      for (const token of [undefined, admin.token]) {
        const { text, headers } = await service.request(method, path, { ...options, token })
        if (text !== '') types.add(headers.get('Content-Type') ?? `none: ${method} ${path}`)
      }
    }
    // JSON is UTF-8 by its own definition (RFC 8259 §8.1), and so are lines of it
    const json = /^application\/(?:problem\+|jwk-set\+|x-nd)?json(?:; charset=utf-8)?$/
    const text = /^text\/(?:html|plain|csv|css|javascript|event-stream)(?:; version=[\d.]+)?; charset=utf-8$/
    // bytes, and XML, which is UTF-8 where it says nothing else (XML 1.0 §4.3.3)
    const image = /^image\/(?:vnd\.microsoft\.icon|svg\+xml)$/
    for (const type of types)
      expect(
        [json, text, image].some((each) => each.test(type)),
        type,
      ).to.equal(true)
    expect(types.size).to.be.greaterThan(4)
  })

  it('a target is never fetched: not when it is made, shown, listed or followed', async () => {
    let connections = 0
    const bait = createServer().on('connection', (socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => {
      bait.listen(0, '127.0.0.1', resolve)
    })
    const address = bait.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const target = `http://127.0.0.1:${port}/latest/meta-data`
    const { token } = editor
    expect((await service.request('POST', '/links', { token, json: { target, code: 'bait' } })).status).to.equal(201)
    expect(
      (await service.request('PATCH', '/links/bait', { token, json: { target: `${target}?again` } })).status,
    ).to.equal(200)
    for (const path of ['/bait', '/links/bait', '/links', '/links/export'])
      expect((await service.request('GET', path, { token })).status).to.be.oneOf([200, 302])
    expect((await service.request('DELETE', '/links/bait', { token })).status).to.equal(204)
    expect(connections).to.equal(0)
    await new Promise<void>((resolve) => {
      bait.close(() => resolve())
    })
  })

  it('a page has a policy that lets nothing run and nothing in', async () => {
    const pages = []
    for (const route of service.routes.filter(({ method }) => method === 'get')) {
      const { path, options } = requestOf(route)
      const answer = await service.request('GET', path, {
        ...options,
        token: editor.token,
        headers: { ...options.headers, Accept: 'text/html' },
      })
      if (!/html/.test(answer.headers.get('Content-Type') ?? '')) continue
      pages.push(path)
      const policy = answer.headers.get('Content-Security-Policy') ?? ''
      if (path.startsWith('/console')) {
        expect(policy, path).to.equal(POLICY_OF_CONSOLE)
        continue
      }
      for (const directive of ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
        expect(policy).to.include(directive)
      expect(policy).to.not.match(/unsafe|\*|https?:|data:/)
      // only the documentation has scripts, and each runs by its hash
      const [scripts] = /script-src [^;]*/.exec(policy) ?? []
      if (path.startsWith('/docs')) expect(scripts).to.match(/^script-src(?: 'sha256-[A-Za-z0-9+/]{43}=')+$/)
      else expect(scripts).to.equal(undefined)
    }
    expect(pages).to.include.members(['/docs', '/docs/guides', '/', '/absent+', '/absent', '/links/absent', '/users'])
  })
})
