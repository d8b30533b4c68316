import { setImmediate } from 'node:timers/promises'

import { expect } from 'chai'

import { runJobs, type Job } from '../../src/jobs/run-jobs.js'
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
      onFault: () => undefined,
    })
    try {
      await until('the other job ran', async () => ran.includes('other'))
      expect(ran).to.deep.equal(['endless', 'other'])
    } finally {
      await jobs.stop()
    }
  })
})
