import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import { PACKAGE_ROOT } from '../../src/config.js'
import { openCollector, type Collector, type ReceivedSpan } from '../support/collector.js'
import { keepLog } from '../support/log.js'
import { testDatabase } from '../support/database.js'
import { onDatabase, startNode } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { freePort } from '../support/proxy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until, within } from '../support/until.js'

interface Tree {
  readonly [name: string]: Tree
}

/** Spans below one, by their names. */
const treeOf = (spans: readonly ReceivedSpan[], parent: ReceivedSpan): Tree =>
  Object.fromEntries(
    spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map((span) => [span.name, treeOf(spans, span)]),
  )

describe('traces', () => {
  let collector: Collector
  let spans: readonly ReceivedSpan[]
  let editor: TestUser
  let stranger: TestUser
  const TRACE = '0af7651916cd43dd8448eb211c80319c'
  const PARENT = 'b7ad6b7169203331'

  const requestSpan = (id: string): ReceivedSpan => {
    const found = spans.find(({ attributes }) => attributes['linkgate.request_id'] === id)
    if (!found) throw new Error(`no span of ${id}`)
    return found
  }

  before(async () => {
    collector = await openCollector()
    const service: TestService = await startTestService({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SERVICE_NAME: 'linkgate-test' },
    })
    editor = await service.addUser('editor')
    stranger = await service.addUser('editor')
    const ask = (id: string, method: string, path: string, options: Parameters<TestService['request']>[2] = {}) =>
      service.request(method, path, { ...options, headers: { ...options.headers, 'X-Request-ID': id } })
    await ask('create', 'POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/', code: 'traced' },
    })
    await ask('change', 'PATCH', '/links/traced', {
      token: editor.token,
      json: { target: 'https://example.com/secret-target' },
    })
    await ask('export', 'GET', '/links/export?format=ndjson', { token: editor.token })
    await ask('denied', 'DELETE', '/links/traced', { token: stranger.token })
    await ask('limited-role', 'GET', '/users', { token: editor.token })
    await ask('bad-token', 'GET', '/links', { token: 'secret-token' })
    await ask('unrouted', 'GET', '/no/secret-path')
    await ask('part', 'GET', '/traced?secret-query=1', {
      headers: {
        traceparent: `00-${TRACE}-${PARENT}-01`,
        tracestate: 'vendor=secret-state',
        baggage: 'key=secret-baggage',
      },
    })
    await ask('not-a-part', 'GET', '/traced', { headers: { traceparent: '00-secret-header-01' } })
    await service.db.asOwner('revoke update on links from links_own')
    await ask('disagreed', 'PATCH', '/links/traced', { token: editor.token, json: { target: 'https://example.com/2' } })
    await service.stop()
    // stopping has sent what was left
    spans = collector.spans()
  })
  after(() => collector.close())

  it('of a change show the request, its four layers and their queries', () => {
    const request = requestSpan('change')
    expect(request).to.include({
      name: 'PATCH /links/:code',
      kind: 2,
      parentSpanId: undefined,
      failed: false,
      service: 'linkgate-test',
    })
    expect(treeOf(spans, request)).to.deep.equal({
      gateway: {},
      // who asks and the record, at the same time
      'gateway.identify': { 'database.run': {} },
      'database.run': {},
      endpoint: {},
      object: {},
      data: { 'database.flush': {} },
    })
    expect(request.attributes).to.deep.equal({
      'url.scheme': 'http',
      'linkgate.request_id': 'change',
      'http.request.method': 'PATCH',
      'http.route': '/links/:code',
      'http.response.status_code': 200,
      'linkgate.policy.revision': 1,
      'user.id': editor.id,
      'linkgate.effect': 'allow',
      'linkgate.rule': 'R5',
    })
    const below = (name: string) =>
      spans.find((span) => span.traceId === request.traceId && span.name === name)?.attributes
    expect(below('object')).to.include({
      'linkgate.action': 'link:update',
      'linkgate.effect': 'allow',
      'linkgate.rule': 'R5',
      'linkgate.policy.revision': 1,
    })
    expect(below('data')).to.include({ 'linkgate.operation': 'update' })
    expect(below('database.flush')).to.include({ 'db.system.name': 'postgresql' })
    expect(below('database.flush')?.['db.query.summary']).to.include('enter_change, ')
  })

  it('of an export show the query inside the data layer, whose span ends with the stream', () => {
    const request = requestSpan('export')
    expect(treeOf(spans, request)).to.deep.include({ data: { 'database.stream': {} } })
    // spans arrive in the order in which they end
    const ended = spans.filter(({ traceId }) => traceId === request.traceId).map(({ name }) => name)
    expect(ended.indexOf('data')).to.be.greaterThan(ended.indexOf('database.stream'))
  })

  it('mark a refusal with its layer and code, on the request and on the layer that refused', () => {
    for (const [id, layer, code, status] of [
      ['denied', 'object', 'policy_denied', 403],
      ['limited-role', 'endpoint', 'role_not_allowed', 403],
      ['bad-token', 'gateway', 'invalid_token', 401],
    ] as const) {
      const request = requestSpan(id)
      const refused = { 'linkgate.refusal.layer': layer, 'linkgate.refusal.code': code }
      expect(request.attributes, id).to.include({ ...refused, 'http.response.status_code': status })
      expect(request.failed, 'a refusal is no fault').to.equal(false)
      const own = spans.filter((span) => span.traceId === request.traceId)
      expect(own.find((span) => span.name === layer)?.attributes, id).to.include(refused)
      expect(
        own.map((span) => span.name),
        id,
      ).to.not.include('data')
    }
    expect(requestSpan('denied').attributes).to.include({ 'linkgate.effect': 'deny', 'linkgate.rule': 'R5' })
    expect(requestSpan('unrouted')).to.include({ name: 'GET' })
  })

  it('mark a failure of the service with its SQLSTATE', () => {
    const request = requestSpan('disagreed')
    expect(request).to.include({ failed: true })
    const change = spans.find((span) => span.traceId === request.traceId && span.name === 'database.flush')
    expect(change).to.include({ failed: true })
    expect(change?.attributes).to.include({ 'error.type': '42501' })
  })

  it('continue the caller’s, where a traceparent names one', () => {
    expect(requestSpan('part')).to.include({ traceId: TRACE, parentSpanId: PARENT })
    expect(requestSpan('not-a-part').parentSpanId).to.equal(undefined)
  })

  it('contain no query, path, header, body, token or target', () => {
    expect(collector.received()).to.not.match(/secret|example\.com|Bearer|eyJ/)
  })

  it('are not made of queries outside of requests', () => {
    const ids = new Set(spans.map(({ spanId }) => spanId))
    for (const span of spans)
      if (span.name !== 'GET' && span.kind !== 2) expect(ids.has(span.parentSpanId ?? ''), span.name).to.equal(true)
  })
})

describe('traces that cannot be sent', () => {
  it('do not disturb requests, nor keep the service from stopping', async () => {
    const db = await testDatabase()
    const node = await startNode({
      ...onDatabase(db.service, db.owner),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${await freePort()}/v1/traces`,
    })
    expect((await fetch(`${node.baseUrl}/absent`)).status).to.equal(404)
    // a span that is sent again must not keep the process alive
    expect(await within('the node ends', node.stop())).to.equal(0)
    expect(node.output()).to.include('spans could not be sent')
  })

  it('are reported in the log where the collector refuses them', async () => {
    const collector = await openCollector(400)
    const kept = keepLog()
    const service = await startTestService({
      log: kept.log,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    })
    try {
      expect((await service.request('GET', '/absent')).status).to.equal(404)
    } finally {
      await service.stop()
      await collector.close()
    }
    expect(kept.lines().filter((line) => line.includes('spans could not be sent'))).to.have.lengthOf(1)
  })

  it('are reported once for each outage, also if the next one has the same reason', async () => {
    const collector = await openCollector(400)
    const kept = keepLog()
    // read by the SDK itself
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50'
    const service = await startTestService({
      log: kept.log,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    }).finally(() => delete process.env['OTEL_BSP_SCHEDULE_DELAY'])
    /** Answers two more batches with this status: the second one is sent once the first is known to be answered. */
    const answerTwo = async (status: number) => {
      const before = collector.requests()
      collector.answer(status)
      await until('two batches are sent', async () => {
        await service.request('GET', '/absent')
        return collector.requests() >= before + 2
      })
    }
    const reports = () => kept.lines().filter((line) => line.includes('spans could not be sent')).length
    try {
      await answerTwo(400)
      await answerTwo(400)
      expect(reports()).to.equal(1)
      await answerTwo(200)
      await answerTwo(400)
      expect(reports()).to.equal(2)
    } finally {
      await service.stop()
      await collector.close()
    }
  })
})

describe('tracing', () => {
  it('that is off sends nothing, and does not load the SDK', async () => {
    const collector = await openCollector()
    try {
      // the standard variable names the collector; another one says that nothing is sent
      const service = await startTestService({
        environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_SDK_DISABLED: 'true' },
      })
      await service.request('GET', '/absent')
      await service.stop()
      expect(collector.requests()).to.equal(0)
    } finally {
      await collector.close()
    }
    requireBuilt()
    const loaded = `
      import ${JSON.stringify(new URL('dist/service.js', PACKAGE_ROOT).href)}
      import { createRequire } from 'node:module'
      const loaded = Object.keys(createRequire(import.meta.url).cache)
      process.stdout.write(loaded.filter((path) => /@opentelemetry.(?:sdk|exporter|otlp|resources)/.test(path)).join())`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', loaded], {
      cwd: fileURLToPath(PACKAGE_ROOT),
      encoding: 'utf8',
    })
    expect(status, stderr).to.equal(0)
    expect(stdout).to.equal('')
  })
})
