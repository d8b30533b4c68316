import { once } from 'node:events'
import { connect } from 'node:net'

import { expect } from 'chai'

import { addUser } from '../support/add-user.js'
import { openConnection } from '../support/connection.js'
import { testDatabase } from '../support/database.js'
import { halfRequest } from '../support/half-request.js'
import { WITNESS } from '../support/log-truth.js'
import { onDatabase, startNode } from '../support/node.js'
import { openWire } from '../support/proxy.js'
import { requireBuilt } from '../support/program.js'
import { addManyLinks, freshCode } from '../support/records.js'
import { startTestService } from '../support/service.js'
import { madeSigningKey } from '../support/signing-key.js'
import { untilRefused, untilSaid } from '../support/workers.js'
import { until, within } from '../support/until.js'

describe('a stop beside slow exports', () => {
  it('does not wait for their readers: what is not read within two seconds breaks off, and looks it', async () => {
    const service = await startTestService({ environment: { DATABASE_POOL_SIZE: '8' } })
    const { id, token } = await service.addUser('viewer')
    await addManyLinks(service.db, { owner: id, count: 10_000, prefix: 'slow-', targetLength: 1_900 })
    const ask = async () => {
      const { hostname, port } = new URL(service.baseUrl)
      const socket = connect(Number(port), hostname)
      socket.write(`GET /links/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      const [head] = await once(socket, 'data')
      expect(String(head)).to.match(/^HTTP\/1\.1 200 /)
      return socket.pause()
    }
    const [stalled, dripping] = [await ask(), await ask()]
    const drip = setInterval(() => dripping.read(1_000), 50)
    try {
      const begunAt = performance.now()
      await service.stop({ lingerMs: 500 })
      expect(performance.now() - begunAt).to.be.within(1_500, 5_000)
    } finally {
      clearInterval(drip)
    }
    for (const socket of [stalled, dripping]) {
      let rest = ''
      socket.setEncoding('latin1').on('data', (text) => {
        rest = `${rest}${String(text)}`.slice(-100)
      })
      socket.on('error', () => undefined).resume()
      if (!socket.closed) await within('the connection ends', once(socket, 'close'))
      expect(rest.endsWith('\r\n0\r\n\r\n'), 'it looks whole').to.equal(false)
    }
  })
})

describe('SIGTERM to one process under load', () => {
  it('takes nothing new, finishes and answers what it took, and exits 0 within its limit', async () => {
    requireBuilt()
    const db = await testDatabase()
    await db.asOwner(WITNESS)
    const environment = {
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
      WORKERS: '1',
    }
    const { token } = await addUser(
      { connection: db.service, signingKeyFile: environment.JWT_SIGNING_KEY_FILE },
      'editor',
    )
    const node = await startNode(environment)
    const answered: string[] = []
    const unanswered: string[] = []
    const statuses = new Set<number>()
    // another connection for each request, as through a proxy that keeps none: who is cut off was in the middle of
    // nothing
    const clients = Array.from({ length: 8 }, async () => {
      const { request } = openConnection(node.baseUrl, { fresh: true })
      for (;;) {
        const id = freshCode('term')
        const answer = await request('POST', '/links', {
          headers: { Authorization: `Bearer ${token}`, 'X-Request-ID': id },
          json: { target: 'https://example.com/' },
        }).catch(() => null)
        if (answer === null) return unanswered.push(id)
        statuses.add(answer.status)
        answered.push(id)
      }
    })
    await until('50 links are made', () => answered.length >= 50)
    const slow = await halfRequest(node.baseUrl)
    const exited = once(node.child, 'exit')
    node.child.kill('SIGTERM')
    await untilRefused(node)
    expect(await slow.finish(), 'what was half sent').to.equal(400)
    await within('every client is cut off', Promise.all(clients))
    expect(await within('the service ends', exited), node.output()).to.deep.equal([0, null])

    expect([...statuses]).to.deep.equal([201])
    const done = new Set(
      (await db.asOwner<{ request_id: string }>('select request_id from witnessed')).map(
        ({ request_id }) => request_id,
      ),
    )
    expect(answered.filter((id) => !done.has(id))).to.deep.equal([])
    expect(unanswered.filter((id) => done.has(id))).to.deep.equal([])
  })

  for (const workers of ['1', '2']) {
    it(`with WORKERS=${workers} says first that it is not ready, and serves on until that was heard`, async () => {
      requireBuilt()
      const db = await testDatabase()
      const node = await startNode({
        ...onDatabase(db.service, db.owner),
        JWT_SIGNING_KEY_FILE: await madeSigningKey(),
        WORKERS: workers,
        DRAIN_MS: '1500',
      })
      const ask = async (path: string) =>
        (await openConnection(node.baseUrl, { fresh: true }).request('GET', path)).status
      expect(await ask('/readyz')).to.equal(200)
      const exited = once(node.child, 'exit')
      node.child.kill('SIGTERM')
      await until('/readyz is 503', async () => (await ask('/readyz')) === 503)
      expect([await ask('/healthz'), await ask('/absent'), await ask('/readyz')]).to.deep.equal([200, 404, 503])
      expect(await exited, node.output()).to.deep.equal([0, null])
    })
  }

  it('exits though the network to the database is gone, which ends no connection', async () => {
    requireBuilt()
    const db = await testDatabase()
    const wire = await openWire(db.service)
    try {
      const node = await startNode({
        ...onDatabase(wire.connection, db.owner),
        JWT_SIGNING_KEY_FILE: await madeSigningKey(),
        REQUEST_DEADLINE_MS: '500',
        WORKERS: '1',
      })
      await untilSaid(node, (output) => output.includes('Linkgate listens on'))
      const exited = once(node.child, 'exit')
      wire.vanish()
      node.child.kill('SIGTERM')
      try {
        expect(await within('the service ends', exited), node.output()).to.deep.equal([0, null])
      } finally {
        await node.stop('SIGKILL')
      }
    } finally {
      await wire.close()
    }
  })

  it('goes at once with a second signal, however long it was to serve on', async () => {
    const db = await testDatabase()
    const endsAtOnce = async (workers: string) => {
      const node = await startNode({
        ...onDatabase(db.service, db.owner),
        JWT_SIGNING_KEY_FILE: await madeSigningKey(),
        WORKERS: workers,
        DRAIN_MS: '60000',
      })
      const exited = once(node.child, 'exit')
      node.child.kill('SIGTERM')
      await untilSaid(node, (output) => output.includes('stopping:'))
      // sooner it would be taken for an echo of the first one, as from npm; one more would end it as any process
      const again = setTimeout(() => node.child.kill('SIGTERM'), 300)
      try {
        expect(await within('the service ends', exited), node.output()).to.deep.equal([0, null])
      } finally {
        clearTimeout(again)
      }
    }
    await Promise.all([endsAtOnce('1'), endsAtOnce('2')])
  })
})
