import { expect } from 'chai'
import { Client, type ClientConfig } from 'pg'
import { pino } from 'pino'

import { openPool } from '../../src/database/pool.js'
import { openReplica } from '../../src/database/replica.js'
import { STALE_MS } from '../../src/redirects/link-cache.js'
import { openedDatabase, testDatabase, type TestDatabase } from '../support/database.js'
import { urlOf } from '../support/node.js'
import { openWire, type Wire } from '../support/proxy.js'
import { addLink } from '../support/records.js'
import { startTestService, type TestService, type TestUser } from '../support/service.js'
import { startPair, type Pair } from '../support/standby.js'
import { madeSigningKey } from '../support/signing-key.js'
import { until } from '../support/until.js'

const CODES = ['plain', 'changed', 'unheard', 'steady', 'limited'] as const
const FIRST = 'https://example.com/first'
/** How much later than on an idle machine an answer may come. */
const BUSY_MS = 3_000

describe('a read replica for redirects', () => {
  let pair: Pair
  let db: TestDatabase
  let wire: Wire
  /** changes links; remembers */
  let writing: TestService
  /** remembers nothing: each redirect shows who answered it */
  let asking: TestService
  /** remembers */
  let remembering: TestService
  let editor: TestUser
  const told: string[] = []

  const follow = async (at: TestService, code: string) => {
    const { status, headers } = await at.request('GET', `/${code}`)
    expect(status).to.equal(302)
    return headers.get('location')
  }
  const metric = async (at: TestService, name: string) =>
    Number(new RegExp(`^linkgate_replica_${name} (\\S+)$`, 'm').exec((await at.request('GET', '/metrics')).text)?.[1])
  const change = async (code: string, target: string) => {
    const { status } = await writing.request('PATCH', `/links/${code}`, { token: editor.token, json: { target } })
    expect(status).to.equal(200)
  }
  /**
   * Until a service leads to the new target, which was committed before: how often it led to the old one, never beyond
   * the bound.
   */
  const untilFollowed = async (at: TestService, code: string, target: string) => {
    let old = 0
    await until(
      `/${code} leads to ${target}`,
      async () => {
        const isNew = (await follow(at, code)) === target
        if (!isNew) old += 1
        return isNew
      },
      { withinMs: STALE_MS + BUSY_MS },
    )
    return old
  }
  const onStandby = async (text: string) => {
    const client = new Client(pair.standby.owner)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }
  const whilePaused = async (work: () => Promise<void>) => {
    await onStandby('select pg_wal_replay_pause()')
    try {
      await work()
    } finally {
      await onStandby('select pg_wal_replay_resume()')
    }
    await untilUsed()
  }
  const untilUsed = (used = true) =>
    until(
      `the replica is ${used ? 'used' : 'left out'}`,
      async () => (await metric(asking, 'left_out')) === (used ? 0 : 1),
    )

  before(async () => {
    pair = await startPair()
    db = openedDatabase(pair.primary.owner, pair.primary.service)
    wire = await openWire({ ...db.service, ...pair.standby.socket })
    const environment = {
      DATABASE_URL: urlOf(db.service),
      DATABASE_REPLICA_URL: urlOf(wire.connection),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
    }
    writing = await startTestService({ db, environment })
    const log = pino(
      { level: 'info' },
      {
        write: (line) => {
          if (line.includes('redirects are read')) told.push(line)
        },
      },
    )
    asking = await startTestService({ db, environment: { ...environment, REDIRECT_CACHE_SIZE: '0' }, log })
    remembering = await startTestService({ db, environment })
    editor = await writing.addUser('editor')
    for (const code of CODES) await addLink(db, { code, target: FIRST, owner: editor.id })
    await db.asOwner(`update links set max_visits = 1000000 where code = 'limited'`)
    await untilUsed()
    // until no change is recent any more
    await until('the replica answers for every link', async () => {
      const before = await metric(asking, 'reads_total')
      for (const code of CODES) await follow(asking, code)
      return (await metric(asking, 'reads_total')) === before + CODES.length
    })
  })
  after(async () => {
    for (const each of [remembering, asking, writing]) await each?.stop()
    await wire?.close()
    await pair?.stop()
  })

  it('answers them', async () => {
    const [before, fallbacks] = [await metric(asking, 'reads_total'), await metric(asking, 'fallbacks_total')]
    for (let i = 0; i < 20; i += 1) expect(await follow(asking, 'plain')).to.equal(FIRST)
    expect([await metric(asking, 'reads_total'), await metric(asking, 'fallbacks_total')]).to.deep.equal([
      before + 20,
      fallbacks,
    ])
  })

  it('never hides a change from the process that made it, nor from others for long', async () => {
    await whilePaused(async () => {
      for (let i = 0; i < 5; i += 1) {
        const target = `https://example.com/${i}`
        await change('changed', target)
        expect(await follow(writing, 'changed')).to.equal(target)
        for (const each of [asking, remembering]) {
          await untilFollowed(each, 'changed', target)
          expect(await follow(each, 'changed')).to.equal(target)
        }
      }
      expect(await onStandby(`select target from links where code = 'changed'`)).to.deep.equal([{ target: FIRST }])
      expect(await follow(asking, 'steady'), 'the replica is asked for what did not change').to.equal(FIRST)
    })
  })

  it('is asked once for a link with a visit limit that the primary has otherwise, then the primary', async () => {
    await whilePaused(async () => {
      await db.asOwner('alter table links disable trigger user')
      const target = 'https://example.com/limited'
      await db.asOwner('update links set target = $1, version = version + 1 where code = $2', [target, 'limited'])
      const before = await metric(asking, 'reads_total')
      expect(await follow(asking, 'limited')).to.equal(target)
      expect(await metric(asking, 'reads_total')).to.equal(before + 1)
      await db.asOwner('alter table links enable trigger user')
    })
  })

  it('is left out before an answer is too old, even if nobody was notified of the change', async () => {
    await whilePaused(async () => {
      // without its triggers: nobody is told
      await db.asOwner('alter table links disable trigger user')
      await db.asOwner(`update links set target = 'https://example.com/unheard' where code = 'unheard'`)
      const old = await untilFollowed(asking, 'unheard', 'https://example.com/unheard')
      expect(old).to.be.greaterThan(0)
      expect(await metric(asking, 'left_out')).to.equal(1)
      expect(told.at(-1)).to.include('it lacks what the primary had')
      await db.asOwner('alter table links enable trigger user')
    })
  })

  it('costs a redirect little where it hangs, the next ones nothing, and is used again when it answers', async () => {
    wire.hold()
    const held = performance.now()
    expect(await Promise.all(Array.from({ length: 20 }, () => follow(asking, 'steady')))).to.deep.equal(
      Array.from({ length: 20 }, () => FIRST),
    )
    const ms = performance.now() - held
    process.stdout.write(`      (20 redirects through a replica that hangs: ${Math.round(ms)} ms)\n`)
    expect(ms).to.be.below(BUSY_MS)
    const fallbacks = await metric(asking, 'fallbacks_total')
    await untilUsed(false)
    expect(await follow(asking, 'steady')).to.equal(FIRST)
    expect(await metric(asking, 'fallbacks_total')).to.equal(fallbacks + 1)
    wire.mend()
    await untilUsed()
  })

  it('is missed by nobody when it is killed, and used again when it is back', async () => {
    await pair.killStandby()
    for (let i = 0; i < 10; i += 1) expect(await follow(asking, 'steady')).to.equal(FIRST)
    await untilUsed(false)
    await change('changed', 'https://example.com/meanwhile')
    await pair.startStandby()
    await untilUsed()
    expect(told.at(-1)).to.include('redirects are read from the replica')
    const before = await metric(asking, 'reads_total')
    expect(await follow(asking, 'steady')).to.equal(FIRST)
    expect(await metric(asking, 'reads_total')).to.equal(before + 1)
    expect(await follow(asking, 'changed')).to.equal('https://example.com/meanwhile')
  })

  it('is not used if it is of another database, or its login can bypass row-level security', async () => {
    const primary = openPool({ connection: db.service, size: 1, deadlineMs: 5_000 })
    const faultOf = async (connection: ClientConfig): Promise<unknown> => {
      const pool = openPool({ connection, size: 1, deadlineMs: 5_000 })
      const { fault, stop } = await new Promise<{ fault: unknown; stop: () => void }>((resolve) => {
        const opened = openReplica({
          primary,
          replica: pool,
          staleMs: STALE_MS,
          onChange: (given) => resolve({ fault: given, stop: () => opened.stop() }),
        })
      })
      stop()
      await pool.close()
      return fault instanceof Error ? fault.message : fault
    }
    const standby = { ...db.service, ...pair.standby.socket }
    expect(await faultOf(standby)).to.equal(null)
    expect(await faultOf(db.service)).to.include('not a standby')
    expect(await faultOf({ ...standby, database: 'postgres' })).to.include('another database')
    expect(await faultOf({ ...db.owner, ...pair.standby.socket })).to.include('row-level security')
    const other = await testDatabase()
    expect(await faultOf(other.service)).to.include('another database')
    await primary.close()
  })
})
