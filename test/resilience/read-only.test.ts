import { expect } from 'chai'
import { Client } from 'pg'

import { openPool } from '../../src/database/pool.js'
import { readinessOf } from '../../src/routes/readiness.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { valueOf } from '../support/exposition.js'
import { at, textAt } from '../support/json.js'
import { keepLog } from '../support/log.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { until } from '../support/until.js'

describe('a database that has become read-only', () => {
  const { log, lines } = keepLog()
  let db: TestDatabase
  let owner: Client
  let service: TestService
  let user: TestUser
  before(async () => {
    db = await testDatabase()
    owner = new Client({ ...db.owner, options: '-c default_transaction_read_only=off' })
    await owner.connect()
    service = await startTestService({ db, log, environment: { DATABASE_POOL_SIZE: '4' } })
    user = await service.addUser('editor')
  })
  after(async () => {
    await service.stop()
    await owner.end()
  })
  const create = () =>
    service.request('POST', '/links', { token: user.token, json: { target: 'https://example.com/' } })
  const ready = () => service.request('GET', '/readyz')
  const setReadOnly = (value: 'on' | 'off') =>
    owner.query(`alter database ${owner.escapeIdentifier(db.owner.database ?? '')}
      set default_transaction_read_only = ${value}`)

  it('is 503 to changes and readiness, no alarm; visits wait, and all goes on by itself after it', async () => {
    const code = textAt((await create()).json, 'code')
    await setReadOnly('on')
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = '${db.service.user}'`,
    )
    await until('/readyz says so', async () => at((await ready()).json, 'checks', 'database') === 'read_only')
    const { status, headers } = await ready()
    expect([status, headers.get('Retry-After')]).to.deep.equal([503, '1'])
    for (let i = 0; i < 5; i += 1) {
      const refused = await create()
      expect(refused.json).to.include({ status: 503, code: 'database_unavailable' })
      expect(refused.headers.get('Retry-After')).to.equal('1')
    }
    const followed = 3
    for (let i = 0; i < followed; i += 1) expect((await service.request('GET', `/${code}`)).status).to.equal(302)
    const failed = (each: string) => each.includes('visits') && each.includes('read-only transaction')
    await until('a batch of visits has failed', () => lines().some(failed))

    await setReadOnly('off')
    await until('/readyz is 200', async () => (await ready()).status === 200)
    await until('a link is made', async () => (await create()).status === 201)
    await until('the visits are counted', async () => {
      const { rows } = await owner.query<{ n: number }>(
        'select (visits + bots)::int as n from visit_counts where link_id = (select id from links where code = $1)',
        [code],
      )
      return rows[0]?.n === followed
    })
    const metrics = (await service.request('GET', '/metrics')).text
    expect(valueOf(metrics, 'linkgate_layer_disagreements_total')).to.equal(0)
    expect(lines().filter((each) => each.includes('layers_disagree'))).to.deep.equal([])
  })

  it('is ready after it though nobody but the probe asks, on the one connection that began meanwhile', async () => {
    await setReadOnly('on')
    const pool = openPool({ connection: db.service, size: 1, deadlineMs: 5_000 })
    const readiness = readinessOf({ database: pool, policy: service.policy, draining: () => false })
    try {
      expect((await readiness()).checks.database).to.equal('read_only')
      await setReadOnly('off')
      expect((await readiness()).ready).to.equal(true)
    } finally {
      await pool.close()
    }
  })
})
