import { once } from 'node:events'

import { expect } from 'chai'

import { openConnection } from '../support/connection.js'
import { testDatabase } from '../support/database.js'
import { halfRequest } from '../support/half-request.js'
import { WITNESS } from '../support/log-truth.js'
import { onDatabase, startNode } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { freshCode } from '../support/records.js'
import { madeSigningKey } from '../support/signing-key.js'
import { untilRefused, untilSaid } from '../support/workers.js'
import { until, within } from '../support/until.js'

describe('SIGTERM to one process under load', function () {
  this.timeout(60_000)

  it('takes nothing new, finishes and answers what it took, and exits 0 within its limit', async () => {
    requireBuilt()
    const db = await testDatabase()
    await db.asOwner(WITNESS)
    const environment = {
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
      WORKERS: '1',
    }
    await runProgram(['user', 'add', '--email', 'sigterm@example.com', '--role', 'editor'], environment).ended
    const token = (await runProgram(['token', '--user', 'sigterm@example.com'], environment).ended).stdout.trim()
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
    slow.finish()
    expect(await slow.answer, 'what was half sent').to.equal(422)
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
      // at first it may be taken for an echo of the first one, as from npm
      const again = setInterval(() => node.child.kill('SIGTERM'), 300)
      try {
        expect(await within('the service ends', exited), node.output()).to.deep.equal([0, null])
      } finally {
        clearInterval(again)
      }
    }
    await Promise.all([endsAtOnce('1'), endsAtOnce('2')])
  })
})
