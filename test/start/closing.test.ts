import { expect } from 'chai'

import { createClosing } from '../../src/start/closing.js'

describe('what a start has opened', () => {
  it('is closed in reverse order, once, and all of it where one fails', async () => {
    const closed: string[] = []
    const closing = createClosing()
    closing.add(() => void closed.push('first'))
    closing.add(async () => {
      closed.push('second')
      throw new Error('the second fails')
    })
    closing.add(async () => {
      closed.push('third')
    })
    const failure = await closing.closeAll().catch((error: unknown) => error)
    expect(failure).to.have.property('message', 'the second fails')
    await closing.closeAll().catch(() => undefined)
    expect(closed).to.deep.equal(['third', 'second', 'first'])
  })

  it('is not waited for once it is in a hurry', async () => {
    const closed: string[] = []
    const closing = createClosing()
    closing.add(() => void closed.push('first'))
    for (const name of ['second', 'third'])
      closing.add(() => {
        closed.push(name)
        return new Promise(() => undefined)
      })
    const closingAll = closing.closeAll()
    closing.hurry(10)
    await closingAll
    expect(closed).to.deep.equal(['third', 'second', 'first'])
  })
})
