import { readFile } from 'node:fs/promises'

import { expect } from 'chai'
import { Client } from 'pg'

import { testDatabase, type TestDatabase } from '../support/database.js'
import { parseExposition } from '../support/exposition.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { startOwnServer } from '../support/own-server.js'
import { addLink, addUserWithId } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'
import { until } from '../support/until.js'
import { AGENTS } from '../support/visitors.js'

const KILLS = 20
/** What a `kill -9` may lose. */
const LOST_MS = 500
const LASTS_MS = 60_000
const VISITORS = 16
/** What waits at most, by docs/visits.md. */
const QUEUED = 100_000
const MEGABYTE = 1024 * 1024

interface Crowd {
  /** when each redirect was answered, in milliseconds of this process */
  readonly answered: readonly number[]
  leave(): Promise<void>
}

describe('visits at full speed', () => {
  let db: TestDatabase
  let code: string
  let environment: Readonly<Record<string, string>>
  const use = async (database: TestDatabase) => {
    db = database
    await addUserWithId(db, '1', 'editor')
    code = await addLink(db, { owner: '1' })
    environment = { ...onDatabase(db.service, db.owner), JWT_SIGNING_KEY_FILE: await madeSigningKey() }
  }
  beforeEach(async () => use(await testDatabase()))

  /** Follows the link again and again. Rejects at the end where an answer was no redirect. */
  const crowd = (node: ServiceNode): Crowd => {
    const answered: number[] = []
    const ended = new AbortController()
    const wrong: number[] = []
    const visit = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        const request = fetch(`${node.baseUrl}/${code}`, {
          redirect: 'manual',
          headers: { 'User-Agent': AGENTS.chrome },
        })
        const answer = await request.catch(() => null)
        if (answer === null) return
        if (answer.status !== 302) wrong.push(answer.status)
        answered.push(performance.now())
        await answer.arrayBuffer()
      }
    }
    const visitors = Array.from({ length: VISITORS }, visit)
    return {
      answered,
      leave: async () => {
        ended.abort()
        await Promise.all(visitors)
        expect(wrong).to.deep.equal([])
      },
    }
  }
  /** The visits of the database, of which some may not have been added to the totals yet. */
  const counted = async (): Promise<number> => {
    await db.asOwner('select count_visits()')
    const [row] = await db.asOwner<{ n: number }>('select coalesce(sum(visits), 0)::int as n from visit_counts')
    return row?.n ?? 0
  }
  const metric = async (node: ServiceNode, name: string): Promise<number> => {
    const { series } = parseExposition(await (await fetch(`${node.baseUrl}/metrics`)).text())
    return series.find((each) => each.name === name)?.value ?? 0
  }
  const seconds = (number: number, { answered }: Crowd) =>
    until(
      `${number} s after the first visit`,
      () => answered.length > 0 && performance.now() - (answered[0] ?? 0) > number * 1e3,
      {
        withinMs: number * 1e3 + 30_000,
      },
    )

  it(`kill -9 loses none that is older than ${LOST_MS} ms, ${KILLS} times`, async () => {
    const lost: number[] = []
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = await counted()
      const node = await startNode(environment)
      const visitors = crowd(node)
      // not always at the same moment between two batches
      await seconds(1.5 + kills / KILLS, visitors)
      node.child.kill('SIGKILL')
      const killedAt = performance.now()
      await visitors.leave()
      await until('nobody writes', async () => {
        const text = `select 1 from pg_stat_activity where query ~ 'add_visits' and state <> 'idle'
          and pid <> pg_backend_pid() and datname = current_database()`
        return (await db.asOwner(text)).length === 0
      })
      const kept = (await counted()) - before
      const oldestLost = visitors.answered[kept] ?? killedAt
      lost.push(Math.round(killedAt - oldestLost))
    }
    console.log(JSON.stringify({ oldestLostMs: lost }))
    expect(Math.max(...lost)).to.be.at.most(LOST_MS)
  })

  /** Visitors come before, while and after this lasts: redirects go on, and each is counted or dropped in the end. */
  const tryTrouble = async (node: ServiceNode, begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
    const memory = async () =>
      Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${node.child.pid}/status`, 'utf8'))?.[1]) * 1_024
    const visitors = crowd(node)
    await seconds(10, visitors)
    const [freely, memoryBefore] = [visitors.answered.length, await memory()]
    const rate = freely / 10
    await begin()
    await seconds(10 + LASTS_MS / 1_000, visitors)
    const grown = (await memory()) - memoryBefore
    const rateMeanwhile = (visitors.answered.length - freely) / (LASTS_MS / 1_000)
    const left = await metric(node, 'linkgate_visits_waiting')
    await end()
    await seconds(15 + LASTS_MS / 1_000, visitors)
    await visitors.leave()
    const all = visitors.answered.length
    await until('all are written', async () => (await metric(node, 'linkgate_visits_waiting')) === 0, {
      withinMs: 60_000,
    })
    const dropped = await metric(node, 'linkgate_visits_dropped_total')
    const lines = node.output().match(/visits were dropped/g) ?? []
    console.log(JSON.stringify({ rate, rateMeanwhile, megabytes: Math.round(grown / MEGABYTE), all, left, dropped }))
    expect(rateMeanwhile).to.be.greaterThan(rate / 2)
    expect(grown).to.be.lessThan(200 * MEGABYTE)
    // those of the last second were written before, and wait to be counted
    expect(left).to.be.at.most(QUEUED + 2 * rate)
    expect((await counted()) + dropped).to.equal(all)
    expect(lines, node.output().slice(-2_000)).to.have.length(dropped > 0 ? 1 : 0)
  }

  it(`slow no redirect while writing hangs for ${LASTS_MS / 1_000} s: queued, or counted as dropped`, async () => {
    const node = await startNode(environment)
    const blocker = new Client(db.owner)
    await blocker.connect()
    try {
      await tryTrouble(
        node,
        () => blocker.query('begin; lock table visit_writers in exclusive mode'),
        async () => {
          await until(
            'so many wait, however slow the machine is',
            async () => (await metric(node, 'linkgate_visits_waiting')) >= QUEUED,
            { withinMs: 600_000 },
          )
          await blocker.query('rollback')
        },
      )
      expect(await metric(node, 'linkgate_visits_dropped_total')).to.be.greaterThan(0)
    } finally {
      await blocker.end()
      await node.stop()
    }
  })

  it(`slow no redirect while the database is away for ${LASTS_MS / 1_000} s`, async () => {
    const server = await startOwnServer()
    try {
      await use(server.database)
      const node = await startNode(environment)
      try {
        await tryTrouble(node, server.kill, server.start)
      } finally {
        await node.stop()
      }
    } finally {
      await server.remove()
    }
  })
})
