import { expect } from 'chai'
import { pino } from 'pino'

import { superviseWorkers } from '../../src/cluster/supervise.js'
import type { End, WorkerProcess } from '../../src/cluster/worker-process.js'
import { StartError } from '../../src/domain/start-error.js'
import { keepLog } from '../support/log.js'
import { until } from '../support/until.js'

/** A worker without a process: it ends when it is told to, or when the test says so. */
interface FakeWorker extends WorkerProcess {
  end(end?: Partial<End>): void
  readonly stopped: boolean[]
}

const fakeWorkers = (readiness: (index: number) => Promise<void> = async () => {}) => {
  const forked: FakeWorker[] = []
  const running = new Set<number>()
  const fork = (): WorkerProcess => {
    const index = forked.length
    let resolveEnd: (end: End) => void = () => undefined
    const ended = new Promise<End>((resolve) => {
      resolveEnd = resolve
    })
    const end = (how: Partial<End> = {}) => {
      running.delete(index)
      resolveEnd({ code: 0, signal: null, hung: false, ...how })
    }
    const stopped: boolean[] = []
    const worker: FakeWorker = {
      id: index,
      pid: index,
      ended,
      end,
      stopped,
      ready: readiness(index).then(() => ({ url: 'http://127.0.0.1:1', metricsUrl: undefined, port: 1, revision: 1 })),
      stop: ({ now }) => {
        stopped.push(now)
        end()
      },
      kill: () => end({ code: null, signal: 'SIGKILL' }),
    }
    worker.ready.catch(() => undefined)
    forked.push(worker)
    running.add(index)
    return worker
  }
  /** The worker that is forked as the nth. */
  const nth = (n: number): Promise<FakeWorker> => until(`worker ${n} is forked`, () => forked[n])
  return { forked, fork, nth, running: () => [...running] }
}

const log = pino({ level: 'silent' })

/** For these forks the system has no memory. */
const failingAt = (fork: () => WorkerProcess, ...failing: readonly number[]) => {
  let forks = 0
  return () => {
    forks += 1
    if (failing.includes(forks)) throw new Error('spawn ENOMEM')
    return fork()
  }
}

describe('the supervisor', () => {
  it('rejects with the reason of the one that cannot start, and leaves none behind', async () => {
    const { fork, forked } = fakeWorkers(async (index) => {
      if (index === 1) throw new StartError('no room')
    })
    const failure = await superviseWorkers({ count: 3, fork, log }).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(StartError).with.property('message', 'no room')
    expect(await Promise.all(forked.map(({ ended }) => ended))).to.have.length(3)
  })

  it('waits longer each time a worker dies young', async () => {
    const { fork, nth, running } = fakeWorkers()
    const kept = keepLog()
    const supervisor = await superviseWorkers({ count: 1, fork, log: kept.log })
    for (let i = 0; i < 3; i++) {
      ;(await nth(i)).end({ code: 1 })
      await nth(i + 1)
    }
    const told = kept
      .lines()
      .flatMap((line) => /"restart_in_ms":(\d+)/.exec(line)?.[1] ?? [])
      .map(Number)
    expect(told).to.deep.equal([100, 200, 400])
    await supervisor.stop({ now: false })
    expect(running()).to.have.length(0)
  })

  it('tries again, with the usual pauses, where no process can be forked', async () => {
    const { fork, nth, running } = fakeWorkers()
    const kept = keepLog()
    const supervisor = await superviseWorkers({ count: 1, fork: failingAt(fork, 2, 3), log: kept.log })
    ;(await nth(0)).end({ code: 1 })
    await nth(1)
    const lines = kept.lines().join('\n')
    expect([...lines.matchAll(/"restart_in_ms":(\d+)/g)].map(([, pause]) => pause)).to.deep.equal(['100', '200', '400'])
    expect(lines.match(/a worker is gone \(it could not be started: spawn ENOMEM\)/g)).to.have.length(2)
    expect(running()).to.deep.equal([1])
    await supervisor.stop({ now: false })
  })

  it('rejects where no process can be forked at the start, and leaves none behind', async () => {
    const { fork, forked } = fakeWorkers()
    const failure = await superviseWorkers({ count: 3, fork: failingAt(fork, 2), log }).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(StartError)
    expect(String(failure)).to.include('spawn ENOMEM')
    expect(await Promise.all(forked.map(({ ended }) => ended))).to.have.length(2)
  })

  it('keeps the old workers where a new one cannot start', async () => {
    const { fork, forked, running } = fakeWorkers(async (index) => {
      if (index >= 2) throw new StartError('no room')
    })
    const supervisor = await superviseWorkers({ count: 2, fork, log })
    await supervisor.restart()
    expect(running()).to.deep.equal([0, 1])
    expect(forked).to.have.length(3)
    await supervisor.stop({ now: false })
  })

  it('replaces each worker once for a restart, and once more for all that were asked for meanwhile', async () => {
    const { fork, forked, running } = fakeWorkers()
    const supervisor = await superviseWorkers({ count: 2, fork, log })
    const first = supervisor.restart()
    // the first has begun: what comes now waits for its end
    await Promise.resolve()
    await Promise.all([first, supervisor.restart(), supervisor.restart()])
    expect(forked).to.have.length(6)
    expect(running()).to.deep.equal([4, 5])
    await supervisor.stop({ now: false })
  })

  it('starts nothing more once it stops', async () => {
    const { fork, forked, nth } = fakeWorkers()
    const supervisor = await superviseWorkers({ count: 1, fork, log })
    ;(await nth(0)).end({ code: 1 })
    await supervisor.stop({ now: false })
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(forked).to.have.length(1)
  })
})
