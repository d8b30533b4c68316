import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'
import { z } from 'zod'

import { countForWorkers } from '../../../src/layers/1-gateway/rate-limit-store.js'

const QUOTA = 5
const Answer = z.object({ allowed: z.number() })

describe('the counters of several workers', () => {
  let workers: readonly Worker[]
  before(async () => {
    countForWorkers({ anonymous: { points: QUOTA, seconds: 600 } }, { maxBuckets: 100 })
    const exec = fileURLToPath(new URL('../../support/counting-worker.ts', import.meta.url))
    cluster.setupPrimary({ exec, execArgv: ['--import', 'tsx'] })
    workers = [cluster.fork(), cluster.fork()]
    // it says so when it hears
    await Promise.all(workers.map((worker) => once(worker, 'message')))
  })
  after(() => {
    for (const worker of workers) worker.process.kill('SIGKILL')
  })

  /** Lets a worker count all at once; answers how many requests were allowed. */
  const count = (worker: Worker | undefined, consume: readonly string[], refund: readonly string[] = []) =>
    new Promise<number>((resolve) => {
      const hear = (message: unknown) => {
        const answer = Answer.safeParse(message).data
        if (answer === undefined) return
        worker?.off('message', hear)
        resolve(answer.allowed)
      }
      worker?.on('message', hear)
      worker?.send({ consume, refund })
    })
  const times = (n: number, bucket: string) => Array.from({ length: n }, () => bucket)

  it('are one: of 80 requests at once on two workers, exactly 5 pass at 5', async () => {
    const allowed = await Promise.all(workers.map((worker) => count(worker, times(40, 'a'))))
    expect(allowed.reduce((sum, each) => sum + each)).to.equal(QUOTA)
  })

  it('take a request back that another worker counted', async () => {
    const [one, other] = workers
    await count(one, times(QUOTA, 'b'))
    await count(other, [], ['b'])
    expect(await count(one, times(QUOTA, 'b'))).to.equal(1)
  })

  it('hold a bounded number of buckets in the primary, and forget the least recently used', async () => {
    const [one] = workers
    const fill = async (name: string) => {
      for (let i = 0; i < 9; i += 1)
        await count(
          one,
          Array.from({ length: 10 }, (_, n) => `${name} ${i} ${n}`),
        )
    }
    await count(one, times(QUOTA, 'c'))
    await fill('first')
    expect(await count(one, ['c']), 'in use').to.equal(0)
    await fill('second')
    await fill('third')
    expect(await count(one, ['c']), 'forgotten').to.equal(1)
  })
})
