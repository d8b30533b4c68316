import { once } from 'node:events'

import { expect } from 'chai'

import { Deadline } from '../../src/domain/deadline.js'
import { deferred } from '../../src/domain/deferred.js'
import { Refusal } from '../../src/domain/refusal.js'
import { withinDeadline } from '../../src/http/within-deadline.js'
import { textAt } from '../support/json.js'
import { keepLog } from '../support/log.js'
import { startTestService } from '../support/service.js'

const failAtOnce = (): never => {
  throw new Error('nothing is late')
}
const none = { discard: failAtOnce, reportFault: failAtOnce }

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  )

const inMs = (milliseconds: number) => new Deadline(performance.now() + milliseconds)

describe('a deadline', () => {
  it('lets what is in time through, and what fails in time', async () => {
    expect(await withinDeadline(Promise.resolve('done'), inMs(1_000), none)).to.equal('done')
    const fault = new Error('a fault')
    expect(await codeOf(withinDeadline(Promise.reject(fault), inMs(1_000), none))).to.equal(fault)
  })

  it('is over at once where no time is left, and node warns of nothing', async () => {
    const warnings: Error[] = []
    const keep = (warning: Error) => {
      warnings.push(warning)
    }
    process.on('warning', keep)
    try {
      expect(await codeOf(withinDeadline(new Promise(() => undefined), inMs(-0.17), none))).to.equal(
        'deadline_exceeded',
      )
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      expect(warnings).to.deep.equal([])
    } finally {
      process.off('warning', keep)
    }
  })

  it('has a late result closed, and a late fault reported', async () => {
    const later = new EventTarget()
    const closed: unknown[] = []
    const reported: unknown[] = []
    const late = {
      discard: (each: unknown) => {
        closed.push(each)
      },
      reportFault: (each: unknown) => {
        reported.push(each)
      },
    }
    const result = once(later, 'result').then(() => 'a stream')
    expect(await codeOf(withinDeadline(result, inMs(1), late))).to.equal('deadline_exceeded')
    later.dispatchEvent(new Event('result'))
    await result
    expect(closed).to.deep.equal(['a stream'])

    const tooLate = new Error('too late')
    const fault = once(later, 'fault').then(() => {
      throw tooLate
    })
    expect(await codeOf(withinDeadline(fault, inMs(1), late))).to.equal('deadline_exceeded')
    later.dispatchEvent(new Event('fault'))
    expect(await fault.catch((error: unknown) => error)).to.equal(tooLate)
    expect(reported).to.deep.equal([tooLate])
  })
  it('has a late fault of a request in the log, which its answer does not show', async () => {
    const { log, line } = keepLog()
    const isOver = deferred()
    const identify = async () => {
      await isOver.promise
      throw new Error('a late fault')
    }
    const service = await startTestService({
      log,
      environment: { REQUEST_DEADLINE_MS: '100' },
      composeLayers: (layers) => ({ ...layers, gateway: { ...layers.gateway, identify } }),
    })
    try {
      const { json } = await service.request('GET', '/links', { token: await service.tokenFor({ id: '1' }) })
      expect(json).to.include({ status: 503, code: 'deadline_exceeded' })
      isOver.resolve()
      expect(await line(/a late fault/)).to.include(textAt(json, 'request_id'))
    } finally {
      await service.stop()
    }
  })
})
