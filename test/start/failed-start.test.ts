import { expect } from 'chai'
import { pino } from 'pino'

import { databaseWithPolicy } from '../support/database.js'
import { freePort } from '../support/proxy.js'
import { startTestService } from '../support/service.js'

describe('a start that fails after it has begun to listen', () => {
  it('listens no more: its port is free, and no request waits for an answer that never comes', async () => {
    const port = await freePort()
    const full = {
      write: (line: string) => {
        if (line.includes('"msg":"listening"')) throw new Error('no space left on device')
      },
    }
    const environment = { PORT: String(port) }
    const failure = await startTestService({
      db: await databaseWithPolicy(),
      environment,
      log: pino({ level: 'info' }, full),
    }).catch((error: unknown) => error)
    expect(failure).to.have.property('message', 'no space left on device')
    const next = await startTestService({ environment })
    await next.stop()
  })
})
