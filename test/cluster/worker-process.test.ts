import cluster from 'node:cluster'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'

import { expect } from 'chai'

import { connectToPrimary } from '../../src/cluster/serve-as-worker.js'
import { followWorker } from '../../src/cluster/worker-process.js'
import { StartError } from '../../src/domain/start-error.js'
import { makeTemporaryFolder } from '../support/temporary-folder.js'
import { within } from '../support/until.js'

describe('a worker whose process the system does not start', () => {
  it('has ended, says why, and can be stopped', async () => {
    // reported like EAGAIN: an error, and never an exit
    cluster.setupPrimary({ exec: 'none.js', cwd: '/no/such/folder' })
    const worker = followWorker({
      worker: cluster.fork(),
      start: { database: {}, port: 0 },
      metrics: async () => null,
    })
    cluster.setupPrimary({ cwd: undefined })
    expect(worker.pid).to.equal(undefined)
    const failure: unknown = await within(
      'it is not ready',
      worker.ready.catch((error: unknown) => error),
    )
    expect(failure).to.be.instanceOf(StartError)
    expect(String(failure)).to.match(/a worker ended before it listened \(it could not be started: spawn .* ENOENT\)/)
    expect((await worker.ended).notStarted).to.have.property('code', 'ENOENT')
    worker.stop({ now: false })
    worker.kill()
  })
})

describe('a worker that says nothing', () => {
  /** says nothing but that it is ready, once it is told to start */
  const PROGRAM = `
    process.on('message', () => process.send({ kind: 'ready', url: '', port: 1, revision: 1 }))
    process.send({ kind: 'alive' })
  `
  afterEach(() => mock.timers.reset())

  const follow = async (program: string) => {
    const exec = join(await makeTemporaryFolder(), 'worker.cjs')
    await writeFile(exec, program)
    cluster.setupPrimary({ exec, execArgv: [] })
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    return followWorker({ worker: cluster.fork(), start: { database: {}, port: 0 }, metrics: async () => null })
  }

  it('may take its time to start, as on a busy machine, and is killed for it once it is ready', async () => {
    const worker = await follow(PROGRAM)
    mock.timers.tick(50_000)
    expect(await worker.ready).to.include({ port: 1 })
    mock.timers.tick(13_000)
    expect(await worker.ended).to.include({ signal: 'SIGKILL', hung: true })
  })

  it('is killed after a minute if it never starts', async () => {
    const worker = await follow('setInterval(() => undefined, 1_000)')
    mock.timers.tick(60_000)
    const failure: unknown = await worker.ready.catch((error: unknown) => error)
    expect(String(failure)).to.include('it stopped responding and was killed')
  })
})

describe('a worker that asks for the metrics of all', () => {
  /** answers the second question alone */
  const PRIMARY = `
    let asked = 0
    process.on('message', ({ kind }) => {
      if (kind === 'metrics' && ++asked === 2) process.send({ kind, text: 'the second answer' })
    })
  `
  afterEach(() => mock.timers.reset())

  it('gives up a question that is not answered in time, and not those that it asked later', async () => {
    const exec = join(await makeTemporaryFolder(), 'primary.cjs')
    await writeFile(exec, PRIMARY)
    cluster.setupPrimary({ exec, execArgv: [] })
    const worker = cluster.fork()
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    try {
      const primary = connectToPrimary(worker, {
        stopNow: () => undefined,
        onPrimaryGone: () => undefined,
        answerWithinMs: 5_000,
      })
      const first = primary.metrics().catch(String)
      mock.timers.tick(4_000)
      const second = primary.metrics().catch(String)
      mock.timers.tick(1_000)
      expect(await first).to.include('could not be added up')
      expect(await second).to.equal('the second answer')
    } finally {
      worker.process.kill('SIGKILL')
    }
  })
})
