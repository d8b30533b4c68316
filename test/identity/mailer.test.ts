import { expect } from 'chai'

import { createMailer } from '../../src/identity/mailer.js'
import { startMailServer } from '../support/mail-server.js'

describe('the mailer', () => {
  it('gives up on a silent server, so that a stop need not wait', async () => {
    const mail = await startMailServer({ silent: true })
    const faults: unknown[] = []
    const mailer = createMailer({
      url: mail.url,
      from: 'links@example.com',
      timeoutMs: 50,
      onFault: (fault) => faults.push(fault),
    })
    try {
      mailer.send({ to: 'ada@example.com', subject: 'A mail', text: 'of a line' })
      expect(faults).to.deep.equal([])
      await mailer.settled()
      expect(faults).to.deep.equal([{ code: 'ETIMEDOUT', response_code: undefined }])
    } finally {
      await mail.stop()
    }
  })
})
