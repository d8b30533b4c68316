import { createTransport } from 'nodemailer'

import { errorCode } from '../domain/thrown.js'

/** A plain-text mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Queues a mail for sending; returns at once. */
export type SendMail = (mail: Mail) => void

/** Sends mails (RFC 5321), each over a new connection. A failed one is reported, not retried. */
export const createMailer = ({
  url,
  from,
  onFault,
  timeoutMs = 5_000,
}: {
  readonly url: string
  readonly from: string
  /** Gets only codes: a server's message may quote the mail. */
  readonly onFault: (fault: { readonly code: string | undefined; readonly response_code: number | undefined }) => void
  /** per step, so that a silent server cannot keep the service from stopping */
  readonly timeoutMs?: number
}) => {
  const timeouts = {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  }
  const transport = createTransport({ url, ...timeouts }, { from })
  const pending = new Set<Promise<unknown>>()
  const send: SendMail = ({ to, subject, text }) => {
    const sending = transport
      .sendMail({ to: { name: '', address: to }, subject, text })
      .catch((error: unknown) => onFault(faultOf(error)))
      .finally(() => pending.delete(sending))
    pending.add(sending)
  }
  return {
    send,
    /** Resolves when no mail is being sent. */
    settled: async (): Promise<void> => {
      await Promise.all(pending)
    },
  }
}

const faultOf = (error: unknown) => ({
  code: errorCode(error),
  response_code:
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined,
})
