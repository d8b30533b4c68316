import { once, EventEmitter } from 'node:events'

import { expect } from 'chai'
import { Client } from 'pg'

import { PACKAGE_ROOT } from '../../src/config.js'
import type { Database } from '../../src/database/database.js'
import { createListener, type Listener } from '../../src/database/listener.js'
import { openPool } from '../../src/database/pool.js'
import { createCurrentPolicy, type CurrentPolicy } from '../../src/policy/current.js'
import { installDefaultPolicy } from '../../src/policy/installation.js'
import { loadSnapshot } from '../../src/policy/replacement.js'
import { POLICY_CHANNEL, watchPolicy, type PolicyWatch } from '../../src/policy/watch.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { shippedRules } from '../support/policy.js'

const AN_HOUR = 3_600_000

describe('the watch over the policy', () => {
  let db: TestDatabase
  let database: Database
  let policy: CurrentPolicy
  let watch: PolicyWatch | undefined
  let ears: Listener | undefined
  const loads = new EventEmitter()
  const faults: unknown[] = []

  beforeEach(async () => {
    db = await testDatabase()
    database = openPool({ connection: db.service, size: 2, deadlineMs: 10_000 })
    const rules = await shippedRules()
    await installDefaultPolicy(database, rules, PACKAGE_ROOT)
    const load = loadSnapshot(database, rules)
    policy = createCurrentPolicy(async (known) => {
      const snapshot = await load(known)
      setImmediate(() => loads.emit('loaded'))
      return snapshot
    })
    await policy.refresh()
    faults.length = 0
  })
  afterEach(async () => {
    await ears?.stop()
    watch?.stop()
    await database.close()
  })

  const start = (intervalMs: number, connection = db.service) => {
    const onFault = (error: unknown) => {
      faults.push(error)
    }
    const watching = watchPolicy({
      policy,
      intervalMs,
      onLook: (fault) => {
        if (fault !== null) onFault(fault)
      },
    })
    watch = watching
    const notify = (channel: string, payload: string) =>
      database.run({ text: 'select pg_notify($1, $2)', values: [channel, payload] })
    const heard = createListener({
      connection,
      notify,
      onChange: (fault) => {
        if (fault !== null) onFault(fault)
      },
    })
    heard.hear(POLICY_CHANNEL, watching.look)
    heard.start(watching.look)
    ears = heard
  }
  const reached = async (revision: number) => {
    while (policy.current().revision < revision) await once(loads, 'loaded')
  }
  /** The process of the connection that listens; waits until there is one. */
  const listener = async (): Promise<number> => {
    for (;;) {
      const [found] = await db.asOwner<{ pid: number }>(
        `select pid from pg_stat_activity
          where datname = current_database() and state = 'idle' and application_name = 'linkgate listener'`,
      )
      if (found) return found.pid
    }
  }
  const edit = (name: string) =>
    db.asOwner(`insert into casbin (ptype, rule) values ('p2', $1::jsonb)`, [JSON.stringify([name, 'link:read'])])

  it('puts an edit in force when it is notified, before the next interval', async () => {
    start(AN_HOUR)
    await listener()
    await edit('clerk')
    await reached(2)
  })

  it('puts an edit in force at the next interval where the notification is lost', async () => {
    start(20, { ...db.service, port: 1, host: '127.0.0.1' })
    await edit('clerk')
    await reached(2)
    expect(faults.length, 'a listener that cannot connect is told of').to.be.greaterThan(0)
  })

  it('listens again after its connection was killed, and loads what it missed', async () => {
    start(AN_HOUR)
    const pid = await listener()
    await db.asOwner('select pg_terminate_backend($1)', [pid])
    await edit('clerk')
    await reached(2)
    expect(await listener()).not.to.equal(pid)
    await edit('guest')
    await reached(3)
  })

  it('keeps the last good policy while newer rows cannot be in force', async () => {
    start(AN_HOUR)
    await listener()
    await db.asOwner(`insert into casbin (ptype, rule) values ('p2', '["Clerk"]')`)
    while (policy.status().fault === null) await new Promise(setImmediate)
    expect(policy.current().revision).to.equal(1)
    await db.asOwner(`delete from casbin where rule ->> 0 = 'Clerk'`)
    await reached(3)
    expect(policy.status().fault).to.equal(null)
  })

  it('leaves no connection behind', async () => {
    start(AN_HOUR)
    await listener()
    await ears?.stop()
    watch?.stop()
    const client = new Client(db.owner)
    await client.connect()
    while (
      (
        await client.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'linkgate listener'`,
        )
      ).rowCount !== 0
    )
      await new Promise(setImmediate)
    await client.end()
  })
})
