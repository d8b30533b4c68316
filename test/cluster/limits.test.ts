import { connect as connectTo } from 'node:net'
import { text } from 'node:stream/consumers'

import { expect } from 'chai'

import { openConnection, type Connection } from '../support/connection.js'
import { testDatabase } from '../support/database.js'
import { valueOf } from '../support/exposition.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { addLink } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'
import { until } from '../support/until.js'

const REDIRECTS = [
  'linkgate_http_request_duration_seconds_count',
  { method: 'GET', route: '/:code', status: '302' },
] as const

describe('two workers that take few connections', () => {
  it('close those beyond MAX_CONNECTIONS at once, and serve the others', async () => {
    requireBuilt()
    const db = await testDatabase()
    const node = await startNode({
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
      WORKERS: '2',
      MAX_CONNECTIONS: '3',
    })
    try {
      const { hostname, port } = new URL(node.baseUrl)
      const sockets = Array.from({ length: 20 }, () => connectTo(Number(port), hostname).on('error', () => undefined))
      for (const socket of sockets) socket.resume()
      // each worker keeps three
      await until('the surplus is closed', () => sockets.filter(({ destroyed }) => destroyed).length >= 14)
      const [open, ...others] = sockets.filter(({ destroyed }) => !destroyed)
      expect(others.length, 'the others stay').to.be.greaterThan(0)
      if (open === undefined) throw new Error('none is open')
      open.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      expect(await text(open)).to.match(/^HTTP\/1.1 200 /)
      for (const socket of sockets) socket.destroy()
    } finally {
      await node.stop()
    }
  })
})

describe('two workers with one limit', () => {
  let limited: ServiceNode
  const connections: Connection[] = []

  const connect = (count: number): readonly Connection[] => {
    const opened = Array.from({ length: count }, () => openConnection(limited.baseUrl))
    connections.push(...opened)
    return opened
  }
  /** How many of the connections are answered. */
  const answered = async (asked: readonly Connection[]) =>
    (await Promise.allSettled(asked.map((each) => each.request('GET', '/healthz')))).filter(
      (each) => each.status === 'fulfilled' && each.value.status === 200,
    ).length

  before(async () => {
    requireBuilt()
    const db = await testDatabase()
    await addLink(db, { code: 'shared', owner: null })
    limited = await startNode({
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
      WORKERS: '2',
      REQUEST_DEADLINE_MS: '20000',
      RATE_LIMIT_ANONYMOUS: '30/600',
      METRICS_PORT: '0',
    })
  })
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close()
  })
  after(() => limited?.stop())

  it('count together: of 200 requests at once on both, exactly 30 pass at 30', async () => {
    const callers = connect(8)
    const statuses = (
      await Promise.all(callers.flatMap((caller) => Array.from({ length: 25 }, () => caller.request('GET', '/shared'))))
    ).map(({ status }) => status)
    expect(statuses.filter((status) => status === 302)).to.have.length(30)
    expect(statuses.filter((status) => status === 429)).to.have.length(170)
  })

  it('count alone while the primary does not answer, each up to the quota and no further', async () => {
    // each request waits for the primary in vain, and those of one connection come one after another
    const callers = connect(24)
    expect(await answered(callers)).to.equal(24)
    const count = async () => {
      const answers = await Promise.all(
        callers.flatMap((caller) => Array.from({ length: 5 }, () => caller.request('GET', '/shared'))),
      )
      return answers.filter(({ status }) => status === 302).length
    }
    expect(await count(), 'the quota is used up').to.equal(0)
    limited.child.kill('SIGSTOP')
    try {
      // the connections may lie unevenly on the two: asked until nothing passes any more
      let passed = 0
      for (let more = await count(); more > 0; more = await count()) passed += more
      expect(passed).to.be.within(30, 60)
    } finally {
      limited.child.kill('SIGCONT')
    }
    expect(await answered(connect(2))).to.equal(2)
  })

  it('add up what they count on a port for metrics', async () => {
    const [, metricsUrl = ''] = /"metrics_url":"([^"]+)"[^\n]*"listening"/.exec(limited.output()) ?? []
    const text = await (await fetch(metricsUrl)).text()
    expect(valueOf(text, ...REDIRECTS)).to.be.at.least(30)
    expect(valueOf(text, 'linkgate_workers')).to.equal(2)
  })
})
