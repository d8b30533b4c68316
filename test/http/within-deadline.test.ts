import { once } from 'node:events'

import { expect } from 'chai'

import { Deadline } from '../../src/domain/deadline.js'
import { Refusal } from '../../src/domain/refusal.js'
import { withinDeadline } from '../../src/http/within-deadline.js'

const none = (): never => {
  throw new Error('nothing is late')
}

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

  it('has a late result closed, and a late fault forgotten', async () => {
    const late = new EventTarget()
    const closed: unknown[] = []
    const result = once(late, 'result').then(() => 'a stream')
    expect(
      await codeOf(
        withinDeadline(result, inMs(1), (each) => {
          closed.push(each)
        }),
      ),
    ).to.equal('deadline_exceeded')
    late.dispatchEvent(new Event('result'))
    await result
    expect(closed).to.deep.equal(['a stream'])

    const fault = once(late, 'fault').then(() => {
      throw new Error('too late')
    })
    expect(await codeOf(withinDeadline(fault, inMs(1), none))).to.equal('deadline_exceeded')
    late.dispatchEvent(new Event('fault'))
    expect(await fault.catch(({ message }: Error) => message)).to.equal('too late')
  })
})
