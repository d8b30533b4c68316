import { createTransport } from 'nodemailer'

/** Queues an invitation for sending; returns at once. */
export type SendInvitation = (to: string, url: string, expiresAt: Date) => void

/** Sends invitations by e-mail (RFC 5321), each over a new connection. A mail that fails is reported, not retried. */
export const invitationMailer = ({
  url,
  from,
  onFault,
  timeoutMs = 5_000,
}: {
  readonly url: string
  readonly from: string
  /** Gets codes only: a server's message may quote the mail. */
  readonly onFault: (fault: { readonly code: string | undefined; readonly response_code: number | undefined }) => void
  /** for each step, so that a silent server cannot keep the service from stopping */
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
  const send: SendInvitation = (to, invitation, expiresAt) => {
    const mail = transport
      .sendMail({
        to: { name: '', address: to },
        subject: 'Your invitation to Linkgate',
        text: textOf(invitation, expiresAt),
      })
      .catch((error: unknown) => onFault(faultOf(error)))
      .finally(() => pending.delete(mail))
    pending.add(mail)
  }
  return {
    send,
    /** Resolves when no mail is being sent any more. */
    settled: async (): Promise<void> => {
      await Promise.all(pending)
    },
  }
}

const textOf = (invitation: string, expiresAt: Date): string =>
  [
    'You are invited to Linkgate.',
    '',
    'To accept, open this link, which is yours alone, and choose a name and a password:',
    '',
    `  ${invitation}`,
    '',
    `It works once, until ${expiresAt.toUTCString()}. If you do not know why you got it, ignore this mail.`,
    '',
  ].join('\n')

const faultOf = (error: unknown) => ({
  code: error instanceof Error && 'code' in error ? String(error.code) : undefined,
  response_code:
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined,
})
