import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'

import { expect } from 'chai'

import { openConnection } from '../support/connection.js'
import { testDatabase } from '../support/database.js'
import { halfRequest } from '../support/half-request.js'
import { isRunning } from '../support/is-running.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { requireBuilt, runProgram } from '../support/program.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { untilGone, untilRefused, untilSaid, workerPids } from '../support/workers.js'
import { within } from '../support/until.js'

describe('workers on the embedded database', () => {
  let environment: Readonly<Record<string, string>>
  let node: ServiceNode | undefined
  before(async () => {
    requireBuilt()
    environment = {
      DATA_DIR: join(await makeTemporaryFolder(), 'data'),
      WORKERS: '2',
      REQUEST_DEADLINE_MS: '20000',
      RATE_LIMIT_SIGN_IN: '100/600',
    }
  })
  after(() => node?.stop())

  it('say in one line why they cannot start, exit 1, and none of them is left', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const { code, stderr } = await runProgram(['serve'], { ...environment, PORT: String(address.port) }).ended
    taken.close()
    expect([code, stderr.trimEnd()]).to.deep.equal([
      1,
      `linkgate: port ${address.port} on 127.0.0.1 is taken; set PORT to another, or to 0 for any free one`,
    ])
  })

  it('end by themselves where their primary is killed, and the next start takes the database over', async () => {
    node = await startNode(environment)
    const first = node
    await untilSaid(first, (output) => isWelcome(output) && workerPids(first).length === 2)
    const pids = workerPids(node)
    expect(pids).to.have.length(2)
    expect(node.output()).to.include('password in')
    // its account is counted when the body is there
    const request = await halfRequest(node.baseUrl, {
      json: { grant_type: 'password', username: 'nobody@example.com', password: 'no password' },
    })
    await node.stop('SIGKILL')
    expect(await request.finish(), 'what was begun is answered').to.equal(400)
    await untilGone(pids, isRunning)
    node = await startNode(environment)
    expect((await openConnection(node.baseUrl, { fresh: true }).request('GET', '/readyz')).status).to.equal(200)
    const second = node
    await untilSaid(second, (output) => isWelcome(output) && workerPids(second).length === 2)
    expect(node.output(), 'the first admin is made once').to.not.include('password in')
  })

  it('are cut off by a second signal, exit 0 at once', async () => {
    if (!node) throw new Error('no node')
    const pids = workerPids(node)
    const request = await halfRequest(node.baseUrl)
    const exited = once(node.child, 'exit')
    node.child.kill('SIGTERM')
    await untilRefused(node)
    node.child.kill('SIGTERM')
    // long before the 15 s that a request in progress may take
    expect(await within('the node ends', exited, { withinMs: 10_000 }), node.output()).to.deep.equal([0, null])
    expect(await request.answer).to.equal(null)
    expect(await Promise.all(pids.map(isRunning))).to.deep.equal([false, false])
  })

  it('stop in order while one of them is only starting', async () => {
    node = await startNode(environment)
    const exited = once(node.child, 'exit')
    node.child.kill('SIGHUP')
    node.child.kill('SIGTERM')
    expect(await exited, node.output()).to.deep.equal([0, null])
    expect(node.output()).to.not.include('cut off')
  })
})

describe('workers that are told to stop', () => {
  it('do not wait for one that is only starting, however long that takes', async () => {
    const { service, owner } = await testDatabase()
    // from `waits` on it takes connections and says nothing: a worker that needs one only starts
    let waits: (() => void) | undefined
    const door = createServer((near) => {
      near.on('error', () => undefined)
      if (waits !== undefined) return waits()
      const far = createConnection(`${owner.host}/.s.PGSQL.${owner.port}`)
      far.on('error', () => undefined)
      near.pipe(far).pipe(near)
    })
    door.listen(0, '127.0.0.1')
    await once(door, 'listening')
    const address = door.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const through = { ...service, host: '127.0.0.1', port }
    const node = await startNode({ ...onDatabase(through, owner), WORKERS: '2', ...SLOW_DATABASE })
    try {
      const begun = new Promise<void>((resolve) => {
        waits = resolve
      })
      node.child.kill('SIGHUP')
      await within('a worker starts', begun)
      const exited = once(node.child, 'exit')
      node.child.kill('SIGTERM')
      // a worker that was waited for would be cut off after 10 s, and the node would say so
      expect(await within('the node ends', exited, { withinMs: 60_000 }), node.output()).to.deep.equal([0, null])
      expect(node.output()).to.not.include('cut off')
    } finally {
      await node.stop('SIGKILL')
      door.close()
    }
  })
})

/** One connection for each worker, which it has: so of all processes only one that starts needs another. */
const SLOW_DATABASE = { DATABASE_POOL_SIZE: '1', REQUEST_DEADLINE_MS: '60000' }

const isWelcome = (output: string): boolean => output.includes('Ctrl-C')
