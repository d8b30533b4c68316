import { expect } from 'chai'

import { testDatabase } from '../support/database.js'
import { keepLog } from '../support/log.js'
import { openWire } from '../support/proxy.js'
import type { Wire } from '../support/proxy.js'
import { startTestService } from '../support/service.js'
import type { TestService } from '../support/service.js'
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

  it('is a line for each, also for one that is as the one before it', async () => {
    for (const outage of [1, 2, 3]) {
      wire.cut()
      await until('both outages are in the log', () => LINES.every((text) => told(text) >= outage))
      wire.mend()
      await until('/readyz is ready', async () => (await ask('/readyz')).includes('"ready"'))
      // the cache is on while notifications are heard
      await until('the cache is on', async () => (await ask('/metrics')).includes('linkgate_cache_off 0'))
    }
    for (const text of LINES) expect(told(text), text).to.be.at.least(3)
  })
})
