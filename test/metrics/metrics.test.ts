import { expect } from 'chai'

import { readConfig } from '../../src/config.js'
import { REFUSALS } from '../../src/domain/refusal.js'
import { boundedLabel } from '../../src/metrics/bounded-label.js'
import { createMetrics } from '../../src/metrics/metrics.js'
import { buildSnapshot } from '../../src/policy/snapshot.js'
import { collectGarbage } from '../support/collect-garbage.js'
import { testDatabase } from '../support/database.js'
import { parseExposition, valueOf } from '../support/exposition.js'
import { rowsOf, shippedRules } from '../support/policy.js'
import { openWire } from '../support/proxy.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

describe('the metrics', () => {
  let service: TestService
  let editor: TestUser
  const text = async () => (await service.request('GET', '/metrics')).text
  const value = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    valueOf(await text(), name, labels)

  before(async () => {
    service = await startTestService({ environment: { RATE_LIMIT_SIGN_IN: '1/60' } })
    editor = await service.addUser('editor')
  })
  after(() => service.stop())

  it('count decisions by effect, rule and layer, and requests by route', async () => {
    await service.request('POST', '/links', {
      token: editor.token,
      json: { target: 'https://example.com/', code: 'counted' },
    })
    await service.request('GET', '/counted')
    await service.request('GET', '/policy', { token: editor.token })
    const { status, text } = await service.request('GET', '/metrics')
    expect(status).to.equal(200)
    expect(text).to.include('linkgate_decisions_total{effect="allow",rule="R4",layer="object"} 1')
    expect(text).to.include('linkgate_decisions_total{effect="allow",rule="R1",layer="object"} 1')
    expect(text).to.include('linkgate_decisions_total{effect="deny",rule="role_not_allowed",layer="endpoint"} 1')
    expect(text).to.match(/linkgate_http_request_duration_seconds_count\{method="GET",route="\/:code",status="302"\} 1/)
    expect(text).to.include('linkgate_policy_revision 1')
  })

  it('count the refusals of every layer by its code, limits and absent records too', async () => {
    const other = await service.addUser('editor')
    const refusals: readonly (readonly [code: keyof typeof REFUSALS, ask: () => Promise<unknown>])[] = [
      ['no_route', () => service.request('GET', '/no/such/path')],
      ['method_not_allowed', () => service.request('PUT', '/links')],
      [
        'malformed_json',
        () =>
          service.request('POST', '/links', {
            token: editor.token,
            body: '{',
            headers: { 'Content-Type': 'application/json' },
          }),
      ],
      ['token_required', () => service.request('DELETE', '/links/counted')],
      ['invalid_token', () => service.request('GET', '/links', { token: 'x' })],
      [
        'insufficient_scope',
        async () => service.request('GET', '/links', { token: await service.tokenFor(editor, 'link:create') }),
      ],
      ['role_not_allowed', () => service.request('GET', '/users', { token: editor.token })],
      ['not_found', () => service.request('GET', '/absent')],
      ['policy_denied', () => service.request('DELETE', '/links/counted', { token: other.token })],
      [
        'code_taken',
        () =>
          service.request('POST', '/links', {
            token: editor.token,
            json: { target: 'https://example.com/', code: 'counted' },
          }),
      ],
      [
        'invalid_grant',
        () =>
          service.request('POST', '/auth/token', {
            json: { grant_type: 'password', username: 'a@example.com', password: 'no password' },
          }),
      ],
      [
        'rate_limited',
        () =>
          service.request('POST', '/auth/token', {
            json: { grant_type: 'password', username: 'a@example.com', password: 'no password' },
          }),
      ],
    ]
    for (const [code, ask] of refusals) {
      const labels = { layer: REFUSALS[code].layer, code }
      const before = await value('linkgate_refusals_total', labels)
      await ask()
      expect(await value('linkgate_refusals_total', labels), code).to.equal(before + 1)
    }
    expect(await value('linkgate_limiter_refused_total', { quota: 'sign_in' })).to.equal(1)
  })

  it('time decisions and the database, and say what the pool holds', async () => {
    const before = await text()
    await service.request('GET', '/links/counted')
    const after = await text()
    for (const name of ['linkgate_decision_duration_seconds_count', 'linkgate_pool_acquire_duration_seconds_count'])
      expect(valueOf(after, name), name).to.be.greaterThan(valueOf(before, name))
    expect(valueOf(after, 'linkgate_database_duration_seconds_count', { kind: 'run' })).to.be.greaterThan(0)
    expect(valueOf(after, 'linkgate_pool_size_limit')).to.equal(10)
    expect(valueOf(after, 'linkgate_pool_connections')).to.be.within(1, 10)
    expect(valueOf(after, 'linkgate_pool_idle_connections')).to.be.at.most(valueOf(after, 'linkgate_pool_connections'))
  })

  it('say how old the revision in force is, when it was last confirmed, and how many rows it has', async () => {
    const before = await value('linkgate_policy_rows')
    await service.db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["editor", "thing:read"]')`)
    await service.policy.refresh()
    // the service asks when the revision was made once it is in force
    const now = await until('the age of the revision is known', async () => {
      const metrics = await text()
      return /^linkgate_policy_age_seconds /m.test(metrics) && metrics
    })
    expect(valueOf(now, 'linkgate_policy_revision')).to.equal(2)
    expect(valueOf(now, 'linkgate_policy_rows')).to.equal(before + 1)
    expect(valueOf(now, 'linkgate_policy_age_seconds')).to.be.within(0, 60)
    expect(valueOf(now, 'linkgate_policy_check_age_seconds')).to.be.within(0, 10)
    expect(valueOf(now, 'linkgate_policy_load_duration_seconds_count')).to.equal(2)
    expect(valueOf(now, 'linkgate_policy_load_failed')).to.equal(0)
  })

  it('sound an alarm where the data layer refuses what the other layers allowed', async () => {
    await service.db.asOwner('revoke update on links from links_own')
    const answer = await service.request('PATCH', '/links/counted', {
      token: editor.token,
      json: { target: 'https://example.com/changed' },
    })
    expect(answer.status).to.equal(500)
    expect(await value('linkgate_layer_disagreements_total')).to.equal(1)
  })

  it('sound it where an export, which changes nothing, is made to change something', async () => {
    await service.request('POST', '/links', { token: editor.token, json: { target: 'https://example.com/' } })
    const before = await value('linkgate_layer_disagreements_total')
    // by the policy of the rows: each row that is read takes a number
    await service.db.asOwner('create sequence taken')
    await service.db.asOwner('grant usage on sequence taken to public')
    await service.db.asOwner(`create policy taking on links as restrictive using (nextval('taken') > 0)`)
    try {
      expect((await service.request('GET', '/links', { token: editor.token })).status).to.equal(200)
      expect((await service.request('GET', '/links/export', { token: editor.token })).status).to.equal(500)
      expect(await value('linkgate_layer_disagreements_total')).to.equal(before + 1)
    } finally {
      await service.db.asOwner('drop policy taking on links')
      await service.db.asOwner('drop sequence taken')
    }
  })

  it('have no label that a caller invents', async () => {
    await service.request('GET', '/no/such/path/anywhere')
    await service.request('PROPFIND', '/anywhere')
    await service.request('GET', '/anywhere', { headers: { 'User-Agent': 'anywhere', 'X-Request-ID': 'anywhere' } })
    const now = await text()
    expect(now).to.not.include('anywhere')
    expect(now).to.not.include('PROPFIND')
  })

  it('are not passed on through a proxy, whatever it says of the caller', async () => {
    for (const [name, value] of [
      ['X-Forwarded-For', '203.0.113.9'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['Forwarded', 'for=127.0.0.1'],
    ] as const) {
      expect(
        (await service.request('GET', '/metrics', { headers: { [name]: value } })).status,
        `${name}: ${value}`,
      ).to.equal(404)
    }
  })

  it('count connections that were lost and questions that got none, and the records that wait meanwhile', async () => {
    const db = await testDatabase()
    const wire = await openWire(db.service)
    const wired = await startTestService({
      db: { ...db, service: wire.connection },
      environment: { REQUEST_DEADLINE_MS: '1000' },
    })
    try {
      const user = await wired.addUser('editor')
      await wired.request('GET', '/users', { token: user.token })
      wire.cut()
      await wired.request('GET', '/abc')
      await wired.request('GET', '/abc')
      await wired.request('DELETE', '/links/abc')
      const { text } = await wired.request('GET', '/metrics')
      expect(valueOf(text, 'linkgate_recorder_waiting')).to.be.greaterThan(0)
      expect(valueOf(text, 'linkgate_pool_lost_connections_total')).to.be.greaterThan(0)
      expect(valueOf(text, 'linkgate_pool_acquire_failures_total')).to.be.greaterThan(0)
      expect(valueOf(text, 'linkgate_refusals_total', { layer: 'http', code: 'database_unavailable' })).to.equal(2)
      wire.mend()
    } finally {
      await wired.stop()
      await wire.close()
    }
  })
})

describe('the metrics on a port of their own', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ environment: { METRICS_PORT: '0' } })
  })
  after(() => service.stop())

  it('answer there, through a proxy too, and no longer where the public asks', async () => {
    const response = await fetch(String(service.metricsUrl), { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    expect(response.status).to.equal(200)
    expect(response.headers.get('Content-Type')).to.match(/^text\/plain; version=/)
    expect(valueOf(await response.text(), 'linkgate_policy_revision')).to.equal(1)
    expect((await service.request('GET', '/metrics')).json).to.include({ status: 404 })
    expect(service.routes.map(({ path }) => path)).to.not.include('/metrics')
  })

  it('refuse a port that is the service’s own, and a host without a port', () => {
    expect(() => readConfig({ PORT: '3000', METRICS_PORT: '3000' })).to.throw(
      'METRICS_PORT: must be another port than PORT',
    )
    expect(() => readConfig({ METRICS_HOST: '0.0.0.0' })).to.throw('METRICS_HOST: has no effect without METRICS_PORT')
    expect(readConfig({ METRICS_PORT: '9100' }).metrics).to.deep.equal({ host: '127.0.0.1', port: 9_100 })
  })

  it('and health are all that is there', async () => {
    const { origin } = new URL(String(service.metricsUrl))
    expect(origin).to.not.equal(service.baseUrl)
    for (const path of ['/', '/links', '/docs', '/metrics/', '/metrics?x'])
      expect((await fetch(`${origin}${path}`)).status, path).to.equal(404)
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).to.equal(405)
    expect((await fetch(`${origin}/metrics`, { method: 'HEAD' })).status).to.equal(200)
  })
})

describe('the metrics of several processes', () => {
  it('add up by what each gauge means: the oldest revision, the greatest age, the sum of the connections', async () => {
    const aggregators = new Map(
      (await createMetrics().registry.getMetricsAsJSON()).map(({ name, type, aggregator }) => [
        name,
        `${type} ${aggregator}`,
      ]),
    )
    for (const [name, aggregator] of Object.entries({
      policy_revision: 'min',
      policy_age_seconds: 'max',
      policy_check_age_seconds: 'max',
      policy_load_failed: 'max',
      pool_connections: 'sum',
      pool_size_limit: 'sum',
      limiter_shared: 'min',
      cache_off: 'max',
      recorder_waiting: 'sum',
    }))
      expect(aggregators.get(`linkgate_${name}`), name).to.include(aggregator)
  })

  it('read a cache that is given to them, and say that it is off where there is none', async () => {
    const metrics = createMetrics()
    expect(valueOf(await metrics.text(), 'linkgate_cache_off')).to.equal(1)
    const stats = { hits: 3, misses: 2, negativeHits: 1, invalidations: 4, entries: 5, off: false }
    metrics.readFrom({ cache: () => stats })
    await metrics.text()
    const { series } = parseExposition(await metrics.text())
    const cache = Object.fromEntries(
      series.filter(({ name }) => name.startsWith('linkgate_cache_')).map(({ name, value }) => [name.slice(15), value]),
    )
    expect(cache).to.deep.equal({
      hits_total: 3,
      misses_total: 2,
      negative_hits_total: 1,
      invalidations_total: 4,
      entries: 5,
      off: 0,
    })
  })
})

describe('the age of the revision in force', () => {
  it('is told once the database can tell it, if it was away when the revision came into force', async () => {
    const { timeDecisions, text } = createMetrics()
    let isAway = true
    const madeAt = async () => (isAway ? Promise.reject(new Error('the database is away')) : new Date())
    const { model } = await shippedRules()
    timeDecisions(madeAt)(await buildSnapshot(1, model, await rowsOf('default.csv')))
    const isTold = async () => /^linkgate_policy_age_seconds \S+$/m.test(await text())
    expect(await isTold()).to.equal(false)
    isAway = false
    await until('the age is told', isTold)
  })
})

describe('a label of which only so many values are kept', () => {
  it('keeps the first ones, and calls every later one other', () => {
    const label = boundedLabel(2)
    expect(['R1', 'R2', 'R3', 'R1', 'R4'].map(label)).to.deep.equal(['R1', 'R2', 'other', 'R1', 'other'])
  })
})

describe('the metrics of services that a process ran one after another', () => {
  it('end with their service; those of the process go on', async () => {
    // the newest is what a worker would answer with
    const ended = Array.from({ length: 5 }, () => new WeakRef(createMetrics().registry))
    const { text } = createMetrics()
    await until('no metrics but the newest', () => {
      collectGarbage()
      return ended.every((each) => each.deref() === undefined)
    })
    expect(await text()).to.match(/^process_cpu_seconds_total \S+$/m)
  })
})
