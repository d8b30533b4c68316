import { expect } from 'chai'
import { pino } from 'pino'

import { PACKAGE_ROOT } from '../../src/config.js'
import { openDatabase, type DatabaseSettings } from '../../src/database/open.js'
import { StartError } from '../../src/domain/start-error.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { editPolicy } from '../support/edit-policy.js'
import { httpMatrix, type Actor } from '../support/http-matrix.js'
import { at, listAt } from '../support/json.js'
import { startNode, urlOf } from '../support/node.js'
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../support/pgbouncer.js'
import { requireBuilt } from '../support/program.js'
import { addManyLinks, freshCode } from '../support/records.js'
import { startTestService, type TestResponse, type TestService, type TestUser } from '../support/service.js'
import { madeSigningKey } from '../support/signing-key.js'
import { until, within } from '../support/until.js'

const migrations = new URL('migrations/', PACKAGE_ROOT)
/** No request is longer than that: a pooler with two connections has queues. */
const DEADLINE_MS = '20000'

/** For what fetch says of a body that ends too early; other errors are thrown. */
const isCutOff = (error: unknown): undefined => {
  if (!(error instanceof TypeError && error.message === 'terminated')) throw error
}

;(hasPgbouncer ? describe : describe.skip)('PgBouncer in transaction mode (needs pgbouncer)', () => {
  let db: TestDatabase
  let pooler: Pgbouncer
  let one: TestService
  let other: TestService
  let signingKeyFile: string
  const stops: (() => Promise<unknown>)[] = []

  const settings = (more: Partial<DatabaseSettings> = {}): DatabaseSettings => ({
    databaseUrl: urlOf(pooler.through(db.service)),
    migrationDatabaseUrl: urlOf(db.owner),
    listenDatabaseUrl: urlOf(db.service),
    databasePooled: true,
    dataDir: '',
    migrations,
    ...more,
  })
  const refusal = async (more: Partial<DatabaseSettings>): Promise<string> => {
    const error: unknown = await openDatabase(settings(more)).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return error instanceof StartError ? error.message : String(error)
  }
  const pooledService = async (more: Partial<DatabaseSettings> = {}, said: (line: string) => void = () => {}) => {
    const { databaseUrl = '' } = settings()
    const service = await startTestService({
      db: { ...db, ...(await openDatabase(settings(more))) },
      log: pino({ level: 'warn' }, { write: said }),
      environment: {
        DATABASE_URL: databaseUrl,
        DATABASE_POOLER: 'transaction',
        JWT_SIGNING_KEY_FILE: signingKeyFile,
        REQUEST_DEADLINE_MS: DEADLINE_MS,
      },
    })
    stops.push(() => service.stop())
    return service
  }
  /**
   * Only so many exports may be under way, and somebody's second one ends for others after a while: asks again until
   * one is whole.
   */
  const exportOf = (service: TestService, token: string): Promise<TestResponse> =>
    until(
      'an export is whole',
      async () => {
        const answer = await service.request('GET', '/links/export?format=ndjson', { token }).catch(isCutOff)
        return (answer?.status !== 503 || at(answer.json, 'code') !== 'exports_busy') && answer
      },
      { withinMs: 90_000, everyMs: 50 },
    )
  const isRemembering = async (service: TestService) =>
    (await service.request('GET', '/metrics')).text.includes('\nlinkgate_cache_off 0\n')

  before(async () => {
    db = await testDatabase()
    signingKeyFile = await madeSigningKey()
    pooler = await startPgbouncer({ logins: [db.service, db.owner], poolSize: 2 })
    stops.push(() => pooler.kill())
    one = await pooledService()
    other = await pooledService()
  })
  after(async () => {
    for (const stop of stops.toReversed()) await stop()
  })

  it("is refused where the settings do not speak of it, by the setting's name", async () => {
    expect(await refusal({ databasePooled: false })).to.include('DATABASE_POOLER=transaction')
    expect(
      (await openDatabase(settings({ databaseUrl: urlOf(db.service), databasePooled: false }))).migrated,
    ).to.deep.equal([])
  })

  it('is refused to a migration, which leaves no lock there for the next one to wait for', async () => {
    const migrating = (migrationDatabaseUrl: string) =>
      openDatabase(settings({ migrationDatabaseUrl }), { migrating: true })
    const error: unknown = await migrating(urlOf(pooler.through(db.owner))).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(StartError).with.property('message').that.includes('MIGRATION_DATABASE_URL')
    expect((await within('the next migration', migrating(urlOf(db.owner)))).migrated).to.deep.equal([])
  })

  it("is refused where one login is owner and service, also where the pooler drops the service's role", async () => {
    expect(await refusal({ databaseUrl: urlOf(pooler.through(db.owner)) }))
      .to.include('MIGRATION_DATABASE_URL')
      .and.include('options')
    const silent = await startPgbouncer({
      logins: [db.service, db.owner],
      poolSize: 2,
      settings: ['ignore_startup_parameters = options'],
    })
    try {
      expect(await refusal({ databaseUrl: urlOf(silent.through(db.owner)) })).to.include(
        `has the role "${db.owner.user}"`,
      )
    } finally {
      await silent.kill()
    }
  })

  it('answers every operation as the oracle does, on every kind of record', async () => {
    const stranger = (await one.addUser('editor')).id
    const { askAll } = httpMatrix(() => ({ service: one, stranger }))
    let cells = await askAll({ user: null, id: stranger }, 'no token')
    for (const role of ['admin', 'editor', 'viewer', 'intern']) {
      const { id } = await one.addUser(role)
      const actor: Actor = { user: { id, role }, id }
      cells += await askAll(actor, role)
    }
    expect(cells).to.be.greaterThan(200)
  })

  it('shows nobody a row of another user: 64 clients of two services on two connections', async () => {
    const users = await Promise.all(Array.from({ length: 16 }, () => one.addUser('editor')))
    const userOf = (client: number): TestUser => users[client % users.length] ?? expect.fail('no user')
    const own = new Map<string, Set<string>>(users.map(({ id }) => [id, new Set<string>()]))
    let rows = 0
    await Promise.all(
      Array.from({ length: 64 }, async (_, client) => {
        const { id, token } = userOf(client)
        const service = client % 2 === 0 ? one : other
        const code = freshCode('pooled')
        const foreign = [...(own.get(userOf(client + 1).id) ?? [])][0] ?? freshCode('absent')
        own.get(id)?.add(code)
        const made = await service.request('POST', '/links', {
          token,
          json: { code, target: `https://example.com/${id}` },
        })
        expect([made.status, at(made.json, 'owner_id')], made.text).to.deep.equal([201, id])
        const [listed, changed, exported, refused] = await Promise.all([
          service.request('GET', '/links?limit=100', { token }),
          service.request('PATCH', `/links/${code}`, { token, json: { target: `https://example.com/${id}/changed` } }),
          exportOf(service, token),
          service.request('DELETE', `/links/${foreign}`, { token }),
        ])
        expect([listed.status, changed.status, exported.status]).to.deep.equal([200, 200, 200])
        expect(refused.status).to.be.oneOf([403, 404])
        const seen = [
          ...listAt(listed.json, 'data'),
          ...exported.text
            .split('\n')
            .filter(Boolean)
            .map((line): unknown => JSON.parse(line)),
        ]
        rows += seen.length
        for (const link of seen) expect(at(link, 'owner_id')).to.equal(id)
      }),
    )
    expect(rows).to.be.greaterThan(128)
    for (const { id, token } of users) {
      const { json } = await other.request('GET', '/links?limit=100', { token })
      expect(listAt(json, 'data').map((link) => at(link, 'code'))).to.have.members([...(own.get(id) ?? [])])
    }
  })

  it('streams an export of more than one batch', async () => {
    const { id, token } = await one.addUser('editor')
    await addManyLinks(db, { owner: id, count: 2_500, prefix: 'export-' })
    const { text } = await exportOf(one, token)
    expect(text.trimEnd().split('\n')).to.have.length(2_500)
  })

  it('puts a policy edit in force on both services, for writes at once', async () => {
    const admin = await one.addUser('admin')
    const editor = await one.addUser('editor')
    const deny = {
      ptype: 'p',
      priority: 350,
      rule: 'TEST',
      role: 'editor',
      action: 'link:create',
      reach: 'any',
      effect: 'deny',
    }
    const write = (headers = {}) =>
      other.request('POST', '/links', { token: editor.token, json: { target: 'https://example.com/' }, headers })
    await editPolicy(one, admin.token, { add: [deny] })
    expect((await write()).status).to.equal(403)
    const lifted = await editPolicy(one, admin.token, { remove: [deny] })
    expect((await write({ 'Policy-At-Least': String(lifted) })).status).to.equal(201)
  })

  it('takes an entry back from memory where the listening connection leads past it', async () => {
    const editor = await one.addUser('editor')
    const code = freshCode('pooled')
    await until('the cache is on', () => isRemembering(other))
    await one.request('POST', '/links', { token: editor.token, json: { code, target: 'https://example.com/1' } })
    const follow = async () => (await other.request('GET', `/${code}`)).headers.get('location')
    expect(await follow()).to.equal('https://example.com/1')
    await one.request('PATCH', `/links/${code}`, { token: editor.token, json: { target: 'https://example.com/2' } })
    await until('the new target is served', async () => (await follow()) === 'https://example.com/2')
  })

  it('remembers nothing, and says why, where the listening connection leads through it', async () => {
    const lines: string[] = []
    const unheard = await pooledService({ listenDatabaseUrl: undefined }, (line) => {
      lines.push(line)
    })
    await until('the log names the setting', () => lines.some((line) => line.includes('DATABASE_LISTEN_URL')))
    expect(await isRemembering(unheard)).to.equal(false)
    await unheard.stop()
  })

  it('is 503 while it is away, with everything in memory as it was, and works soon after it is back', async () => {
    const editor = await one.addUser('editor')
    const list = (service: TestService) => service.request('GET', '/links?limit=1', { token: editor.token })
    await pooler.kill()
    for (const service of [one, other]) {
      const away = await list(service)
      expect([away.status, away.headers.get('retry-after')]).to.deep.equal([503, '1'])
      expect((await service.request('GET', '/readyz')).status).to.equal(503)
      expect((await service.request('GET', '/healthz')).status).to.equal(200)
    }
    await pooler.start()
    const isBack = async (service: TestService) =>
      (await list(service)).status === 200 && (await service.request('GET', '/readyz')).status === 200
    for (const service of [one, other]) await until('the service works again', () => isBack(service))
  })

  it('is 503 at the worst to who asks while the server behind it drops its connections', async () => {
    const editor = await one.addUser('editor')
    await db.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = $1 and application_name <> 'linkgate listener'`,
      [db.service.user],
    )
    const json = { target: 'https://example.com/' }
    for (const service of [one, other])
      await until('a link is made', async () => {
        const { status } = await service.request('POST', '/links', { token: editor.token, json })
        expect(status).to.be.oneOf([201, 503])
        return status === 201
      })
  })

  it('takes a node of two workers, which knows nothing of the owner', async () => {
    requireBuilt()
    const node = await startNode({
      DATABASE_URL: urlOf(pooler.through(db.service)),
      DATABASE_POOLER: 'transaction',
      DATABASE_LISTEN_URL: urlOf(db.service),
      JWT_SIGNING_KEY_FILE: signingKeyFile,
      WORKERS: '2',
    })
    try {
      const editor = await one.addUser('editor')
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(`${node.baseUrl}${path}`, {
          redirect: 'manual',
          ...init,
          headers: { Authorization: `Bearer ${editor.token}`, 'Content-Type': 'application/json' },
        })
      const code = freshCode('node')
      expect(
        (await ask('/links', { method: 'POST', body: JSON.stringify({ code, target: 'https://example.com/' }) }))
          .status,
      ).to.equal(201)
      expect(
        (await Promise.all(Array.from({ length: 20 }, () => ask(`/${code}`)))).map(({ status }) => status),
      ).to.deep.equal(Array.from({ length: 20 }, () => 302))
      expect((await ask('/readyz')).status).to.equal(200)
    } finally {
      await node.stop()
    }
  })
})
