import { once } from 'node:events'

import { SMTPServer } from 'smtp-server'

/** A mail server on loopback that keeps what it gets. */
export interface MailServer {
  readonly url: string
  readonly mails: { readonly to: readonly string[]; readonly text: string }[]
  /** resolves when the next mail is there */
  next(): Promise<void>
  stop(): Promise<void>
}

export interface MailServerOptions {
  /** refuses every recipient */
  readonly refusing?: boolean
  /** never answers a recipient */
  readonly silent?: boolean
}

export const startMailServer = async ({
  refusing = false,
  silent = false,
}: MailServerOptions = {}): Promise<MailServer> => {
  const mails: { readonly to: readonly string[]; readonly text: string }[] = []
  let waiting: (() => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 100,
    onRcptTo: (address, _session, callback) => {
      if (!silent) callback(refusing ? new Error(`550 no mailbox ${address.address}`) : null)
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
        })
        callback()
        for (const wake of waiting) wake()
        waiting = []
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }),
  }
}
