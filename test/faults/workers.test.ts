import { expect } from 'chai'

import { openConnection } from '../support/connection.js'
import { isRunning } from '../support/is-running.js'
import { startNode } from '../support/node.js'
import { storm } from '../support/storm.js'
import { untilGone, untilSaid, workerPids } from '../support/workers.js'

describe('workers in trouble', () => {
  it('sixty seconds of the storm on two nodes of two workers behind a balancer commit no change wrongly', async () => {
    const report = await storm({ milliseconds: 60_000, changes: 1_000, writers: 8, workers: 2 })
    expect(report).to.include({ underDenial: 0, tooLate: 0, processes: 4 })
    expect(
      Object.keys(report.odd).filter((status) => status !== '503'),
      JSON.stringify(report),
    ).to.deep.equal([])
    expect(report.committed).to.equal(report.acknowledged)
    expect(report.committed).to.be.at.least(1_000)
  })

  it('one whose event loop stands still is killed and replaced, and the other answers meanwhile', async () => {
    const node = await startNode({ WORKERS: '2' })
    try {
      await untilSaid(node, () => workerPids(node).length === 2)
      const [hung = 0] = workerPids(node)
      const callers = Array.from({ length: 4 }, () => openConnection(node.baseUrl))
      for (const caller of callers) await caller.request('GET', '/healthz')
      process.kill(hung, 'SIGSTOP')
      const open = await Promise.race([
        Promise.any(callers.map((caller) => caller.request('GET', '/healthz'))),
        untilGone([hung], isRunning),
      ])
      expect(open?.status).to.equal(200)
      await untilSaid(node, () => workerPids(node).length === 3)
      expect(await isRunning(hung)).to.equal(false)
      expect(node.output()).to.include('it stopped responding and was killed')
      for (const caller of callers) caller.close()
      const later = Array.from({ length: 4 }, () => openConnection(node.baseUrl, { fresh: true }))
      expect(
        (await Promise.all(later.map((caller) => caller.request('GET', '/healthz')))).map(({ status }) => status),
      ).to.deep.equal([200, 200, 200, 200])
    } finally {
      await node.stop()
    }
  })
})
