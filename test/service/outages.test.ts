import { expect } from 'chai'
import { Client } from 'pg'

import { testDatabase } from '../support/database.js'
import { keepLog } from '../support/log.js'
import { openWire, type Wire } from '../support/proxy.js'
import { startTestService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'

describe('what the log says of outages', () => {
  const { log, lines } = keepLog()
  let wire: Wire
  let service: TestService

  before(async () => {
    const db = await testDatabase()
    wire = await openWire(db.service)
    service = await startTestService({ db: { ...db, service: wire.connection, listener: wire.connection }, log })
  })
  after(async () => {
    wire.mend()
    await service.stop({ now: true })
    await wire.close()
  })

  const told = (text: string) => lines().filter((each) => each.includes(text)).length
  const ask = async (path: string) => (await service.request('GET', path)).text
  const LINES = ['the policy could not be loaded', 'notifications are not received'] as const
  const ENDS = ['the policy can be loaded again', 'notifications are received again'] as const

  it('is a line for each, also for one that is as the one before it', async () => {
    for (const text of ENDS) expect(told(text), text).to.equal(0)
    for (let outage = 1; outage <= 3; outage++) {
      // one outage may have two faults, a line for each: first its connections end, then there is none to be had
      const before = new Map<string, number>([...LINES, ...ENDS].map((text) => [text, told(text)]))
      const toldOnceMore = (texts: readonly string[]) => texts.every((text) => told(text) > (before.get(text) ?? 0))
      wire.cut()
      await until('both outages are in the log', () => toldOnceMore(LINES))
      wire.mend()
      await until('/readyz is ready', async () => (await ask('/readyz')).includes('"ready"'))
      // the cache is on while notifications are heard
      await until('the cache is on', async () => (await ask('/metrics')).includes('linkgate_cache_off 0'))
      await until('both ends are in the log', () => toldOnceMore(ENDS))
    }
    for (const text of LINES) expect(told(text), text).to.be.at.least(3)
  })
})

describe('a record that cannot be looked up while its caller is', () => {
  let service: TestService
  /** opens once the caller may be looked up */
  let letCallers: () => void = () => undefined
  let callers: Promise<unknown> = Promise.resolve()

  before(async () => {
    service = await startTestService({
      composeLayers: (layers) => ({
        ...layers,
        gateway: {
          ...layers.gateway,
          identify: (ctx, admitted, ...rest) => {
            const identify = () => layers.gateway.identify(ctx, admitted, ...rest)
            return admitted.token === null ? identify() : callers.then(identify)
          },
        },
      }),
    })
  })
  after(() => service.stop())

  it('ends nothing but its request, which is refused for its caller first', async () => {
    const [gone, admin] = [await service.addUser('admin'), await service.addUser('admin')]
    await service.db.asOwner('update users set suspended_at = now() where id = $1', [gone.id])
    // one of these ends the process of a service, but not that of the tests
    const unhandled: unknown[] = []
    const keep = (error: unknown) => void unhandled.push(error)
    process.on('unhandledRejection', keep)
    const owner = new Client(service.db.owner)
    await owner.connect()
    try {
      for (const [{ token }, refusal] of [
        [gone, { status: 401, code: 'invalid_token' }],
        [admin, { status: 503, code: 'database_unavailable' }],
      ] as const) {
        callers = new Promise<void>((resolve) => (letCallers = resolve))
        await owner.query('begin')
        await owner.query('lock table users in access exclusive mode')
        const answer = service.request('GET', `/users/${admin.id}`, { token })
        const [lookUp] = await until('the look-up waits', async () => {
          const waiting = await service.db.asOwner<{ pid: number }>(
            `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                and query like '%find_user%'`,
          )
          return waiting.length > 0 && waiting
        })
        const isActive = `select from pg_stat_activity where pid = $1 and state = 'active'`
        await service.db.asOwner('select pg_cancel_backend($1)', [lookUp?.pid])
        await until('it has failed', async () => (await service.db.asOwner(isActive, [lookUp?.pid])).length === 0)
        await owner.query('rollback')
        // answered after the failure has arrived
        expect((await service.request('GET', '/nothing-here')).status).to.equal(404)
        letCallers()
        expect((await answer).json).to.include(refusal)
      }
      expect(unhandled).to.deep.equal([])
    } finally {
      process.off('unhandledRejection', keep)
      letCallers()
      await owner.end()
    }
  })
})
