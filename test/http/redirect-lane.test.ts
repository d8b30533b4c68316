import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'

import { expect } from 'chai'

import { sendRaw, statusOf } from '../support/raw-http.js'
import type { TestService, TestUser } from '../support/service.js'
import { startTestService } from '../support/service.js'

interface Answer { readonly status: number | undefined; readonly headers: IncomingHttpHeaders; readonly names: readonly string[]; readonly body: string }

/** The same links through the short way, and through the whole chain alone: replacing the layers, even by themselves, closes the short way. */
describe('the short way of a redirect', () => {
  let short: TestService
  let long: TestService
  let editor: TestUser

  const environment = { RATE_LIMIT_ANONYMOUS: '1000/60' }

  before(async () => {
    short = await startTestService({ environment })
    long = await startTestService({ db: short.db, environment, composeLayers: (layers) => ({ ...layers }) })
    editor = await short.addUser('editor')
    await short.request('POST', '/links', { token: editor.token, json: { code: 'followed', target: 'https://example.com/a?b=c#d' } })
    for (const service of [short, long]) {
      while ((await metric(service, 'linkgate_cache_hits_total')) === 0) await send(service, 'GET', '/followed')
    }
  })
  after(async () => {
    await long.stop()
    await short.stop()
  })

  const send = (service: TestService, method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => new Promise((resolve, reject) => {
    const port = service.port
    request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { body += chunk }).on('end', () => resolve({
        status: response.statusCode, headers: response.headers, names: response.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()).toSorted(), body,
      }))
    }).on('error', reject).end()
  })
  const metric = async (service: TestService, line: string) => Number(new RegExp(`^${line.replaceAll(/[{}"/.]/g, '\\$&')} (\\S+)$`, 'm').exec((await send(service, 'GET', '/metrics')).body)?.[1] ?? 0)
  /** What differs from one answer to the next. */
  const steady = ({ headers: { date, 'x-request-id': id, ratelimit, ...headers }, body, ...answer }: Answer) => ({ ...answer, headers, body: body.replaceAll(String(id), 'ID'), told: [typeof date, typeof id, ratelimit?.toString().replace(/r=\d+;t=\d+/, '')] })

  it('answers to the byte what the whole chain answers, whatever is asked', async () => {
    for (const [method, path, headers] of [
      ['GET', '/followed', {}],
      ['HEAD', '/followed', {}],
      ['GET', '/followed?utm_source=x&y', {}],
      ['GET', '/followed', { 'X-Request-ID': 'my-own.id_1' }],
      ['GET', '/followed', { 'X-Request-ID': 'has spaces' }],
      ['GET', '/followed', { Authorization: 'Bearer nonsense' }],
      ['GET', '/followed', { 'Policy-At-Least': '999' }],
      ['GET', '/followed', { Host: 'evil:x@good' }],
      ['GET', '/followed', { 'Content-Length': '0' }],
      ['GET', '/followed', { Origin: 'https://elsewhere.example' }],
      ['GET', '/followed/', {}], ['GET', '/Followed', {}], ['GET', '//followed', {}], ['GET', '/followed;a=b', {}], ['GET', '/%66ollowed', {}], ['GET', '/absent', {}],
      ['POST', '/followed', {}], ['OPTIONS', '/followed', {}], ['TRACE', '/followed', {}],
    ] satisfies readonly (readonly [string, string, Readonly<Record<string, string>>])[]) {
      const [one, other] = [await send(short, method, path, headers), await send(long, method, path, headers)]
      expect(steady(one), `${method} ${path} ${JSON.stringify(headers)}`).to.deep.equal(steady(other))
    }
  })

  for (const [name, CORS_ORIGINS] of [['any origin may read', '*'], ['some origins may read', 'https://app.example,https://other.example']] as const) {
    it(`answers to the byte what the whole chain answers where ${name}`, async () => {
      const settings = { environment: { ...environment, CORS_ORIGINS }, db: short.db }
      const [lane, chain] = [await startTestService(settings), await startTestService({ ...settings, composeLayers: (layers) => ({ ...layers }) })]
      try {
        for (const service of [lane, chain]) while ((await metric(service, 'linkgate_cache_hits_total')) === 0) await send(service, 'GET', '/followed')
        for (const headers of [{}, { Origin: 'https://app.example' }, { Origin: 'https://elsewhere.example' }, { Origin: 'null' }]) {
          expect(steady(await send(lane, 'GET', '/followed', headers)), JSON.stringify(headers)).to.deep.equal(steady(await send(chain, 'GET', '/followed', headers)))
        }
      } finally {
        await lane.stop()
        await chain.stop()
      }
    })
  }

  it('is no way around the one Host', async () => {
    const said = await sendRaw(short.baseUrl, 'GET /followed HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n')
    expect(statusOf(said)).to.equal(400)
  })

  it('is really taken: the chain\'s own counters stand still', async () => {
    const labels = '{method="GET",route="/:code",status="302"}'
    const before = await metric(short, `linkgate_http_request_duration_seconds_count${labels}`)
    const allowed = await metric(short, 'linkgate_decisions_total{effect="allow",rule="R1",layer="object"}')
    const first = await send(short, 'GET', '/followed')
    expect(first.headers['x-powered-by']).to.equal(undefined)
    expect(await metric(short, `linkgate_http_request_duration_seconds_count${labels}`)).to.equal(before + 1)
    expect(await metric(short, 'linkgate_decisions_total{effect="allow",rule="R1",layer="object"}')).to.be.at.least(allowed + 1)
  })

  it('counts against the same limit as the whole chain, exactly, and is refused by it', async () => {
    const service = await startTestService({ db: short.db, environment: { RATE_LIMIT_ANONYMOUS: '30/600' } })
    try {
      const answers = await Promise.all(Array.from({ length: 60 }, async (_, i) => send(service, 'GET', i % 2 === 0 ? '/followed' : '/links/followed')))
      expect(answers.filter(({ status }) => status === 429)).to.have.length(30)
      expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).to.match(/^[1-9]\d*$/)
      expect((await send(service, 'GET', '/followed')).status).to.equal(429)
    } finally {
      await service.stop()
    }
  })

  it('is closed as soon as a row denies what it does', async () => {
    await short.db.asOwner(`insert into casbin (ptype, rule) values ('p', '["50", "CLOSED", "anonymous", "link:read", "any", "deny"]')`)
    await short.policy.refresh()
    expect((await send(short, 'GET', '/followed')).status).to.equal(403)
    await short.db.asOwner(`delete from casbin where rule ->> 1 = 'CLOSED'`)
    await short.db.asOwner(`delete from casbin where ptype = 'p2' and rule = '["anyone", "link:read"]'`)
    await short.policy.refresh()
    expect((await send(short, 'GET', '/followed')).status).to.equal(403)
    await short.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["anyone", "link:read"]')`)
    await short.policy.refresh()
    expect((await send(short, 'GET', '/followed')).status).to.equal(302)
  })
})
