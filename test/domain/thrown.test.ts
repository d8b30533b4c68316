import { once } from 'node:events'
import { connect } from 'node:net'

import { expect } from 'chai'

import { messageOf } from '../../src/domain/thrown.js'
import { freePort } from '../support/proxy.js'

describe('the message of an error', () => {
  it('is its code where several addresses of a host failed', async () => {
    const socket = connect({
      host: 'database.test',
      port: await freePort(),
      autoSelectFamily: true,
      lookup: (_name, _options, answer) =>
        answer(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '127.0.0.2', family: 4 },
        ]),
    })
    const [error] = await once(socket, 'error').catch((thrown: unknown) => [thrown])
    expect(error).to.be.instanceOf(AggregateError)
    expect(messageOf(error)).to.equal('ECONNREFUSED')
  })

  it('is what it says, whatever was thrown', () => {
    expect(messageOf(new Error('full'))).to.equal('full')
    expect(messageOf(new RangeError())).to.equal('RangeError')
    expect(messageOf('full')).to.equal('full')
  })
})
