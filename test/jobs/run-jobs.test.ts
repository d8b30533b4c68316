import { setImmediate } from 'node:timers/promises'

import { expect } from 'chai'

import { messageOf } from '../../src/domain/thrown.js'
import { runJobs, type Job } from '../../src/jobs/run-jobs.js'
import { onChange } from '../../src/log/on-change.js'
import { startTestService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'

describe('background work', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.stop())

  it('takes its turn also beside a job that never runs out of work', async () => {
    const ran: string[] = []
    const endless: Job = {
      name: 'endless',
      everySeconds: 1,
      run: async (isOver) => {
        while (!isOver()) await setImmediate()
        return 1
      },
    }
    const other: Job = { name: 'other', everySeconds: 1, run: async () => 0 }
    const jobs = runJobs({
      database: service.database,
      jobs: [endless, other],
      observer: { ran: (name) => ran.push(name), failed: (name) => ran.push(`${name} failed`) },
      reporterOf: () => () => undefined,
    })
    try {
      await until('the other job ran', async () => ran.includes('other'))
      expect(ran).to.deep.equal(['endless', 'other'])
    } finally {
      await jobs.stop()
    }
  })

  it('is reported when it begins to fail, and when it runs again', async () => {
    const told: unknown[] = []
    let isAway = true
    let [failed, done] = [0, 0]
    const jobs = runJobs({
      database: {
        run: async () => {
          if (isAway) throw new Error('away')
          return service.database.run({ text: 'select true as claimed' })
        },
      },
      jobs: ['sweep', 'count'].map((name) => ({ name, everySeconds: 1, run: async () => 0 })),
      observer: { ran: () => (done += 1), failed: () => (failed += 1) },
      reporterOf: (job) => onChange((fault) => told.push([job, messageOf(fault)])),
      everyMs: 1,
    })
    try {
      await until('it has failed again and again', async () => failed > 6)
      isAway = false
      await until('it has run again', async () => done > 6)
      expect(told).to.deep.equal([
        ['sweep', 'away'],
        ['count', 'away'],
        ['sweep', 'null'],
        ['count', 'null'],
      ])
    } finally {
      await jobs.stop()
    }
  })
})
