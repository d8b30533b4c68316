import { expect } from 'chai'

import { invitationMailer } from '../../src/identity/invitation-mail.js'
import { startMailServer } from '../support/mail-server.js'

describe('the mailer of invitations', () => {
  it('gives up on a silent server, so that a stop need not wait', async () => {
    const mail = await startMailServer({ silent: true })
    const faults: unknown[] = []
    const mailer = invitationMailer({
      url: mail.url,
      from: 'links@example.com',
      timeoutMs: 50,
      onFault: (fault) => faults.push(fault),
    })
    try {
      mailer.send('ada@example.com', 'http://127.0.0.1:3000/invitations/x/accept', new Date())
      expect(faults).to.deep.equal([])
      await mailer.settled()
      expect(faults).to.deep.equal([{ code: 'ETIMEDOUT', response_code: undefined }])
    } finally {
      await mail.stop()
    }
  })
})
