import cluster from 'node:cluster'

import { expect } from 'chai'

import { followWorker } from '../../src/cluster/worker-process.js'
import { StartError } from '../../src/domain/start-error.js'
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
