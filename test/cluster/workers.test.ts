import { once } from 'node:events'

import { expect } from 'chai'

import { addUser } from '../support/add-user.js'
import { openConnection, type Connection } from '../support/connection.js'
import { testDatabase } from '../support/database.js'
import { valueOf } from '../support/exposition.js'
import { halfRequest } from '../support/half-request.js'
import { isRunning } from '../support/is-running.js'
import { onDatabase, startNode, type ServiceNode } from '../support/node.js'
import { requireBuilt } from '../support/program.js'
import { madeSigningKey } from '../support/signing-key.js'
import { load, untilGone, untilSaid, workerPids } from '../support/workers.js'
import { until, within } from '../support/until.js'

const REDIRECTS = [
  'linkgate_http_request_duration_seconds_count',
  { method: 'GET', route: '/:code', status: '302' },
] as const

describe('two workers on one port', () => {
  let node: ServiceNode
  let tokens: { readonly admin: string; readonly editor: string }
  const connections: Connection[] = []

  const connect = (count: number, { fresh = false } = {}): readonly Connection[] => {
    const opened = Array.from({ length: count }, () => openConnection(node.baseUrl, { fresh }))
    connections.push(...opened)
    return opened
  }
  const bearer = (name: keyof typeof tokens) => ({ Authorization: `Bearer ${tokens[name]}` })
  /** How many of the connections are answered. */
  const answered = async (asked: readonly Connection[], path = '/healthz') =>
    (await Promise.allSettled(asked.map((each) => each.request('GET', path)))).filter(
      (each) => each.status === 'fulfilled' && each.value.status === 200,
    ).length

  before(async () => {
    requireBuilt()
    const db = await testDatabase()
    const signingKeyFile = await madeSigningKey()
    const service = { connection: db.service, signingKeyFile }
    const [admin, editor] = [await addUser(service, 'admin'), await addUser(service, 'editor')]
    tokens = { admin: admin.token, editor: editor.token }
    const environment = {
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: signingKeyFile,
      WORKERS: '2',
      REQUEST_DEADLINE_MS: '20000',
    }
    node = await startNode(environment)
    await untilSaid(node, () => workerPids(node).length === 2)
    const [maker] = connect(1, { fresh: true })
    expect(
      (
        await maker?.request('POST', '/links', {
          headers: bearer('editor'),
          json: { target: 'https://example.com/', code: 'shared' },
        })
      )?.status,
    ).to.equal(201)
  })
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close()
  })
  after(() => node?.stop())

  it('apply an edit made through one of them to every write at once, and to reads that ask for it', async () => {
    const [editing, ...others] = connect(6)
    if (!editing) throw new Error('no connection')
    // all of them are open, on either worker, before the edit
    expect(await answered(others)).to.equal(5)
    const revision = 1
    const deny = {
      ptype: 'p',
      priority: 505,
      rule: 'TEST',
      role: 'editor',
      action: 'link:update',
      reach: 'any',
      effect: 'deny',
    }
    const edited = await editing.request('POST', '/policy/changes', {
      headers: { ...bearer('admin'), 'If-Match': `"${revision}"` },
      json: { add: [deny], remove: [], reason: 'a test' },
    })
    expect(edited.status, edited.text).to.equal(200)
    const writes = await Promise.all(
      others.map((other) =>
        other.request('PATCH', '/links/shared', {
          headers: bearer('editor'),
          json: { target: 'https://example.com/denied' },
        }),
      ),
    )
    expect(writes.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403, 403])
    const fresh = await Promise.all(
      others.map((other) =>
        other.request('GET', '/links/shared', { headers: { 'Policy-At-Least': String(revision + 1) } }),
      ),
    )
    expect(fresh.map(({ status, headers }) => [status, headers['policy-revision']])).to.deep.equal(
      others.map(() => [200, String(revision + 1)]),
    )
    for (const other of others)
      await until(
        'reads follow the new revision',
        async () => (await other.request('GET', '/links/shared')).headers['policy-revision'] === String(revision + 1),
        { withinMs: 5_000 },
      )
    const back = await editing.request('POST', '/policy/changes', {
      headers: { ...bearer('admin'), 'If-Match': `"${revision + 1}"` },
      json: { add: [], remove: [deny], reason: 'a test' },
    })
    expect(back.status).to.equal(200)
  })

  it('answer from two processes; where one is killed the other goes on, and another takes its place', async () => {
    const callers = connect(8)
    expect(await answered(callers)).to.equal(8)
    const [victim = 0, survivor = 0] = workerPids(node).slice(-2)
    process.kill(victim, 'SIGKILL')
    await untilGone([victim], isRunning)
    // a connection that ended is opened again by the next request, the one during which it is noticed fails
    const left = await answered(callers)
    expect(left).to.be.within(1, 8)
    await untilSaid(node, () => workerPids(node).at(-1) !== survivor)
    expect(await answered(callers)).to.equal(8)
    expect(node.output()).to.match(/"a worker is gone \(signal SIGKILL\); another takes its place"/)
    expect(await isRunning(survivor)).to.equal(true)
  })

  it('add up what they count', async () => {
    const counted = async () => {
      const [asking] = connect(1)
      return valueOf((await asking?.request('GET', '/metrics'))?.text ?? '', ...REDIRECTS)
    }
    const before = await counted()
    await Promise.all(connect(4).map((caller) => caller.request('GET', '/shared')))
    expect(await counted()).to.equal(before + 4)
  })

  it('are replaced one after another on SIGHUP, and no request fails, on kept connections or new ones', async () => {
    const before = workerPids(node).slice(-2)
    const read = (caller: Connection) => () => caller.request('GET', '/shared')
    const write = (caller: Connection) => () =>
      caller.request('PATCH', '/links/shared', { headers: bearer('editor'), json: { target: 'https://example.com/' } })
    const under = load(
      [
        ...connect(2).map(read),
        ...connect(1).map(write),
        ...connect(1, { fresh: true }).map(read),
        ...connect(1, { fresh: true }).map((caller) => () => caller.request('GET', '/metrics')),
      ],
      (status) => status === 302 || status === 200,
    )
    node.child.kill('SIGHUP')
    await untilSaid(node, (output) => output.includes('every worker was replaced'))
    const { done, failed } = await under.stop()
    expect(failed).to.deep.equal([])
    expect(done).to.be.greaterThan(50)
    const after = workerPids(node).slice(-2)
    expect(after.filter((pid) => before.includes(pid))).to.deep.equal([])
    expect(await Promise.all(before.map(isRunning))).to.deep.equal([false, false])
  })

  it('stop in order under load: what was begun is answered, exit 0 within the limit', async () => {
    const pids = workerPids(node).slice(-2)
    const callers = connect(4)
    expect(await answered(callers)).to.equal(4)
    const under = load(
      callers.map((caller) => () => caller.request('GET', '/shared')),
      (status) => status === 302,
    )
    const begun = await Promise.all(Array.from({ length: 4 }, () => halfRequest(node.baseUrl)))
    const exited = once(node.child, 'exit')
    node.child.kill('SIGTERM')
    // a terminal and a service manager signal every process of the group: the workers leave it to the primary
    for (const pid of pids) process.kill(pid, 'SIGINT')
    await untilSaid(node, (output) => output.includes('stopping:'))
    expect(await Promise.all(begun.map(({ finish }) => finish()))).to.deep.equal([400, 400, 400, 400])
    await under.stop()
    expect((await within('the node ends', exited))[0]).to.equal(0)
    expect(await Promise.all(pids.map(isRunning))).to.deep.equal([false, false])
    expect(node.output()).to.not.include('cut off')
  })
})

describe('two workers whose primary does not answer', () => {
  it('fail a scrape within the deadline of a request, and collect again afterwards', async () => {
    requireBuilt()
    const db = await testDatabase()
    const node = await startNode({
      ...onDatabase(db.service, db.owner),
      JWT_SIGNING_KEY_FILE: await madeSigningKey(),
      WORKERS: '2',
      METRICS_PORT: '0',
      REQUEST_DEADLINE_MS: '1000',
    })
    try {
      const [, metricsUrl = ''] = /"metrics_url":"([^"]+)"[^\n]*"listening"/.exec(node.output()) ?? []
      // the connection is kept: new ones come through the primary
      const collector = openConnection(new URL(metricsUrl).origin)
      const statusOf = async () => (await collector.request('GET', '/metrics')).status
      expect(await statusOf()).to.equal(200)
      node.child.kill('SIGSTOP')
      try {
        expect(await within('an answer without the primary', statusOf())).to.equal(500)
        await untilSaid(node, (output) => output.includes('a request on the port of the metrics failed'))
      } finally {
        node.child.kill('SIGCONT')
      }
      await until('metrics again', async () => (await statusOf()) === 200)
      collector.close()
    } finally {
      await node.stop()
    }
  })
})
