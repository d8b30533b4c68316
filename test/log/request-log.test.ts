import { once } from 'node:events'
import { connect } from 'node:net'

import { expect } from 'chai'
import { assert, constantFrom, oneof, property, string } from 'fast-check'

import { createAccounts } from '../../src/identity/accounts.js'
import { createPasswords } from '../../src/identity/password.js'
import { escapeInvisible } from '../../src/log/escape-invisible.js'
import { textLine } from '../../src/log/line-format.js'
import { textAt } from '../support/json.js'
import { keepLog, type KeptLog } from '../support/log.js'
import { createPause } from '../support/pause.js'
import { sendRaw } from '../support/raw-http.js'
import { encodePart } from '../support/raw-token.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'

interface Line {
  readonly [field: string]: unknown
}

const isLine = (value: unknown): value is Line => typeof value === 'object' && value !== null

const parse = (line: string): Line => {
  const parsed: unknown = JSON.parse(line)
  if (!isLine(parsed)) throw new Error(`not a line: ${line}`)
  return parsed
}

const [DEBUG, INFO, WARN] = [20, 30, 40]

describe('the request log', () => {
  let service: TestService
  let kept: KeptLog
  let editor: TestUser
  const pause = createPause()

  /** The line of a request that the test named. */
  const lineOf = async (id: string): Promise<Line> =>
    parse(await kept.line(new RegExp(`"request_id":"${id}".*"msg":"request"`)))
  let count = 0
  const ask = async (
    method: string,
    path: string,
    options: Parameters<TestService['request']>[2] = {},
  ): Promise<Line> => {
    const id = `asked-${(count += 1)}`
    await service.request(method, path, { ...options, headers: { ...options.headers, 'X-Request-ID': id } })
    return lineOf(id)
  }

  before(async () => {
    kept = keepLog()
    service = await startTestService({
      log: kept.log,
      composeLayers: pause.composeLayers,
      environment: { TRUSTED_PROXY_HOPS: '1' },
    })
    editor = await service.addUser('editor')
    await service.request('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/?secret=1', code: 'logged' },
    })
  })
  after(() => service.stop())

  it('keeps a caller’s id one text, whatever it looks like, in JSON and in text', async () => {
    const id = '","status":200,"msg":"x\\'
    await service.request('GET', '/absent-with-an-id', { headers: { 'X-Request-ID': id } })
    const written = await kept.line(/status\\":200/)
    expect(parse(written)).to.include({ request_id: id, status: 404, msg: 'request' })
    const failed = textLine({ colours: false })(JSON.stringify({ ...parse(written), level: WARN }))
    expect(failed).to.match(/ {2}warning {2}request {2}GET \/:code 404 {2}\d+ ms {2}request \S+\n$/)
  })

  it('has one line for each request: who, what, outcome, rule, revision and duration', async () => {
    const line = await ask('PATCH', '/links/logged', {
      token: editor.token,
      json: {},
      headers: { 'If-Match': '"0-0"' },
    })
    expect(line).to.include({
      level: INFO,
      msg: 'request',
      method: 'PATCH',
      route: '/links/:code',
      status: 412,
      layer: 'data',
      code: 'precondition_failed',
      revision: 1,
      user_id: editor.id,
      link: 'logged',
      rule: 'R5',
    })
    const followed = await ask('GET', '/logged?x=secret')
    expect(followed).to.include({
      level: INFO,
      method: 'GET',
      route: '/:code',
      status: 302,
      link: 'logged',
      rule: 'R1',
    })
    expect(followed).to.not.have.any.keys('user_id', 'layer', 'code', 'aborted')
    expect(followed['duration_ms']).to.be.a('number').within(0, 5_000)
  })

  it('names the layer and the code of a refusal, and only the network of the caller', async () => {
    const line = await ask('DELETE', '/links/logged', { headers: { 'X-Forwarded-For': '203.0.113.77' } })
    expect(line).to.include({ status: 401, layer: 'gateway', code: 'token_required', network: '203.0.113.0/24' })
    expect(JSON.stringify(kept.lines())).to.not.include('203.0.113.77')
  })

  it('says why a token was not valid, which its sender is not told', async () => {
    const stranger = await service.addUser('editor')
    await createAccounts(service.database).setSuspended(stranger.id, true)
    const [head = '', , signature = ''] = editor.token.split('.')
    for (const [token, reason] of [
      ['opaque', 'not three base64url parts'],
      [`${encodePart({ alg: 'ES256', kid: 'one', typ: 'JWT' })}.e30.${signature}`, 'typ is not at+jwt'],
      [`${head}.${encodePart({ iss: 'secret' })}.${signature}`, 'iss'],
      ['lgp_secret', 'no such personal token'],
      [stranger.token, 'the user is suspended'],
    ] as const) {
      expect(await ask('GET', '/users/me', { token })).to.include({ code: 'invalid_token', reason })
      expect(kept.lines().join('')).to.not.include(token)
    }
    expect(await ask('GET', '/users/me')).to.not.have.property('reason')
  })

  it('contains no path, query, header or body', async () => {
    const texts = ['in-the-path', 'in-the-query', 'in-a-header', 'in-the-body']
    for (const path of [
      '/in-the-path?q=in-the-query',
      '/links/in-the-path?q=in-the-query',
      '/no/in-the-path',
      '/invitations/in-the-path/accept',
    ]) {
      await ask('POST', path, {
        json: { 'in-the-body': 'in-the-body' },
        headers: { 'User-Agent': 'in-a-header', Cookie: 'in-a-header' },
      })
      await ask('GET', path, { headers: { 'User-Agent': 'in-a-header', Referer: 'http://in-a-header' } })
    }
    for (const text of texts) expect(kept.lines().join(''), text).to.not.include(text)
  })

  it('is at debug for probes, and at warn where the service failed', async () => {
    expect(await ask('GET', '/healthz')).to.include({ level: DEBUG })
    expect(await ask('GET', '/readyz')).to.include({ level: DEBUG })
    await service.db.asOwner('alter table links rename to links_away')
    try {
      expect(await ask('GET', '/links', { token: editor.token })).to.include({
        level: WARN,
        status: 500,
        code: 'internal_error',
      })
    } finally {
      await service.db.asOwner('alter table links_away rename to links')
    }
  })

  it('has a line for a request whose caller left before the response, and for one that waits behind it', async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    await once(socket, 'connect')
    /** Sends a change, which stops between its decision and its commit. */
    const sendHeld = async (id: string): Promise<() => void> => {
      let release = (): void => undefined
      const decided = new Promise<void>((resolve) => {
        pause.once(() => {
          resolve()
          return new Promise<void>((goOn) => {
            release = goOn
          })
        })
      })
      socket.write(
        `DELETE /links/logged HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\n` +
          `Authorization: Bearer ${editor.token}\r\n\r\n`,
      )
      await decided
      return () => release()
    }
    const held = [await sendHeld('leaver'), await sendHeld('behind')]
    socket.destroy()
    for (const id of ['leaver', 'behind'])
      expect(await lineOf(id)).to.include({ status: 499, aborted: true, route: '/links/:code' })
    for (const release of held) release()
    const lines = kept.lines().filter((line) => /"request_id":"(?:leaver|behind)".*"msg":"request"/.test(line))
    expect(lines).to.have.length(2)
  })

  it('has a line for what was no HTTP request', async () => {
    for (const [text, status] of [
      ['secret nonsense\r\n\r\n', 400],
      [`GET /logged HTTP/1.1\r\nHost: x\r\nX: ${'secret'.repeat(4_000)}\r\n\r\n`, 431],
    ] as const) {
      const said = await sendRaw(service.baseUrl, text)
      const line = await lineOf(/^x-request-id: (\S+)/im.exec(said)?.[1] ?? 'none')
      expect(line).to.include({
        level: INFO,
        method: 'other',
        route: 'none',
        status,
        layer: 'http',
        code: 'invalid_request',
        network: '127.0.0.0/24',
      })
      expect(JSON.stringify(line)).to.not.include('secret')
    }
  })

  it('has no line for a request at LOG_LEVEL=warn, unless the service failed', async () => {
    const quiet = keepLog('warn')
    const other = await startTestService({ log: quiet.log, db: service.db })
    try {
      await other.request('GET', '/logged')
      await other.request('GET', '/no/route')
      expect(quiet.lines()).to.deep.equal([])
    } finally {
      await other.stop()
    }
  })
})

const CONTROLS = [
  '\r\nfake: line',
  '\u001b[2J\u001b[31mred',
  '\u0007',
  '\u009b31m',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\ufeff',
  '\u{e0041}',
]
/** What no line may hold, but for the line break that ends it. */
// eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/

describe('a log line', () => {
  it('contains no character that a terminal obeys, whatever a caller sends', async () => {
    const kept = keepLog()
    const service = await startTestService({ log: kept.log })
    try {
      const editor = await service.addUser('editor')
      // faults of ours are logged too: with them, the error itself
      await service.db.asOwner(
        `create function refuse_all() returns trigger language plpgsql as $$
         begin raise exception 'no: %', new.name using detail = new.name; end $$`,
      )
      await service.db.asOwner(
        'create trigger refuse_all before update on users for each row execute function refuse_all()',
      )
      for (const text of CONTROLS) {
        const encoded = encodeURIComponent(text)
        const bytes = Buffer.from(text).toString('latin1')
        await service.request('GET', `/${encoded}?q=${encoded}`)
        await service.request('GET', `/links/${encoded}`, { token: editor.token })
        await service.request('POST', '/links', {
          token: editor.token,
          json: { target: text, code: text, [text]: text },
        })
        await service.request('PATCH', '/users/me', { token: editor.token, json: { name: `a${text}b` } })
        await service.request('POST', '/auth/token', { json: { grant_type: text, username: text, password: text } })
        await sendRaw(
          service.baseUrl,
          `GET /${bytes} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${bytes}\r\nX-Request-ID: ${bytes}\r\n` +
            `Authorization: Bearer ${bytes}\r\nConnection: close\r\n\r\n`,
        )
      }
      expect(kept.lines().length).to.be.greaterThan(CONTROLS.length * 4)
      for (const line of kept.lines()) {
        expect(line.slice(0, -1), JSON.stringify(line)).to.not.match(OBEYED)
        expect(() => parse(line)).to.not.throw()
      }
      expect(kept.lines().join('')).to.include('no: a\\u202eb')
    } finally {
      await service.stop()
    }
  })

  it('is the same JSON after such characters are escaped', () => {
    assert(
      property(string({ unit: oneof(constantFrom(...CONTROLS), string({ unit: 'binary', maxLength: 3 })) }), (text) => {
        const line = escapeInvisible(JSON.stringify({ text }))
        expect(line).to.not.match(OBEYED)
        expect(parse(line)).to.deep.equal({ text })
      }),
    )
  })

  it('of an error escapes such characters, and omits what PostgreSQL says of rows', () => {
    const kept = keepLog()
    kept.log.error(
      {
        err: Object.assign(new Error('a \u202e b \u009b c\r\nd'), {
          detail: 'Key (email)=(ada@example.com)',
          where: "parameters: $1 = 'ada@example.com'",
        }),
      },
      'failed',
    )
    const [line = ''] = kept.lines()
    expect(line).to.include('a \\u202e b \\u009b c\\r\\nd')
    expect(line).to.not.include('ada@example.com')
  })
})

describe('a secret', () => {
  it('is in no log line at level trace and in no decision record, wherever a caller puts it', async () => {
    const kept = keepLog()
    const service = await startTestService({ log: kept.log })
    const secrets: string[] = []
    try {
      const password = 'correct horse battery staple'
      const passwordHash = await (await createPasswords()).hash(password)
      const admin = await createAccounts(service.database).add({
        email: 'admin@example.com',
        role: 'admin',
        name: 'A',
        passwordHash,
      })
      const sign = (json: object) => service.request('POST', '/auth/token', { json })
      const signedIn = await sign({ grant_type: 'password', username: admin.email, password })
      const refresh = textAt(signedIn.json, 'refresh_token')
      const token = textAt(signedIn.json, 'access_token')
      const refreshed = await sign({ grant_type: 'refresh_token', refresh_token: refresh })
      await sign({ grant_type: 'refresh_token', refresh_token: refresh })
      const wrong = 'a wrong pass phrase'
      await sign({ grant_type: 'password', username: admin.email, password: wrong })
      const full = await service.tokenFor(admin)
      const personal = textAt(
        (
          await service.request('POST', '/users/me/tokens', {
            token: full,
            json: { name: 'key', scopes: ['link:read'] },
          })
        ).json,
        'token',
      )
      const invited = await service.request('POST', '/users/invitations', {
        token: full,
        json: { email: 'eve@example.com', role: 'viewer' },
      })
      const { pathname } = new URL(textAt(invited.json, 'url'))
      const invitation = pathname.split('/')[2] ?? ''
      const chosen = 'chosen at acceptance'
      await service.request('POST', pathname, { json: { name: 'Eve', password: chosen } })
      await service.request('POST', pathname, { json: { name: 'Eve', password: chosen } })

      secrets.push(
        password,
        wrong,
        chosen,
        refresh,
        token,
        textAt(refreshed.json, 'refresh_token'),
        textAt(refreshed.json, 'access_token'),
        full,
        personal,
        invitation,
      )
      const everywhere = async () => {
        for (const secret of secrets) {
          const encoded = encodeURIComponent(secret)
          for (const path of [
            `/${encoded}`,
            `/links/${encoded}`,
            `/links?access_token=${encoded}`,
            `/users/${encoded}`,
            `/invitations/${encoded}/accept`,
            `/${encoded}/x`,
          ]) {
            for (const method of ['GET', 'DELETE', 'POST']) await service.request(method, path, { token: full })
            for (const method of ['GET', 'DELETE']) await service.request(method, path)
          }
          for (const header of [
            'Authorization',
            'X-Api-Key',
            'X-Forwarded-For',
            'Forwarded',
            'User-Agent',
            'Policy-At-Least',
            'If-Match',
            'Idempotency-Key',
            'Origin',
            'Cookie',
            'Referer',
          ])
            await service.request('GET', '/links', { headers: { [header]: secret } })
          await service.request('GET', '/links', { token: `${secret.replaceAll(' ', '')}x` })
          await service.request('POST', '/links', {
            token: full,
            json: { target: secret, code: secret, [secret]: secret },
          })
        }
      }
      await everywhere()
      for (const table of ['links', 'users']) {
        await service.db.asOwner(`alter table ${table} rename to ${table}_away`)
        await service.request('POST', '/links', { token: full, json: { target: 'https://example.com/' } })
        await service.request('GET', `/links/${personal}`, { token: personal })
        await service.request('GET', `/${personal}`)
        await sign({ grant_type: 'password', username: admin.email, password })
        await service.request('POST', pathname, { json: { name: 'Eve', password: chosen } })
        await service.db.asOwner(`alter table ${table}_away rename to ${table}`)
      }
      const log = kept.lines().join('')
      expect(log).to.include('internal_error')
      expect(kept.lines().length).to.be.greaterThan(200)
      for (const secret of secrets) {
        for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64url').slice(0, -2)])
          expect(log.includes(form), form).to.equal(false)
      }
      expect(log).to.not.match(/Bearer|lgp_|eyJ[A-Za-z0-9_-]{10}|"authorization"/i)
    } finally {
      // writes the records that wait
      await service.stop()
    }
    const records = (await service.db.asOwner<{ line: string }>('select d::text as line from decisions d')).map(
      ({ line }) => line,
    )
    expect(records.filter((line) => line.includes('token_required')).length).to.be.greaterThan(10)
    for (const secret of secrets)
      expect(
        records.filter((line) => line.includes(secret)),
        secret,
      ).to.deep.equal([])
  })
})
