import { createTransport } from 'nodemailer'

/** Hands an invitation over to be sent; returns at once. */
export type SendInvitation = (to: string, url: string, expiresAt: Date) => void

export interface InvitationMailer {
  readonly send: SendInvitation
  /** Resolves when nothing is on its way any more; within seconds, since every step of sending has its own. */
  readonly settled: () => Promise<void>
}

export interface MailerOptions {
  readonly url: string
  readonly from: string
  /** told, by codes alone, of a mail that was not taken: what a server says may repeat the mail */
  /** milliseconds for each step, default 5,000: a server that says nothing must not hold a stopping service back */
  readonly patience?: number
  readonly onFault: (fault: { readonly code: string | undefined; readonly response_code: number | undefined }) => void
}

/**
 * Invitations by e-mail (RFC 5321). One connection a mail: invitations are rare. A mail that fails is reported, not
 * retried.
 */
export const invitationMailer = ({ url, from, onFault, patience = 5_000 }: MailerOptions): InvitationMailer => {
  const transport = createTransport(
    { url, connectionTimeout: patience, greetingTimeout: patience, socketTimeout: patience, dnsTimeout: patience },
    { from },
  )
  const onTheWay = new Set<Promise<void>>()
  return {
    send: (to, invitation, expiresAt) => {
      const mail = transport
        .sendMail({
          to: { name: '', address: to },
          subject: 'Your invitation to Linkgate',
          text: textOf(invitation, expiresAt),
        })
        .then(
          () => undefined,
          (error: unknown) => {
            onFault(faultOf(error))
          },
        )
        .finally(() => onTheWay.delete(mail))
      onTheWay.add(mail)
    },
    settled: async () => {
      await Promise.all(onTheWay)
    },
  }
}

const textOf = (invitation: string, expiresAt: Date): string =>
  [
    'You are invited to Linkgate.',
    '',
    'To accept, send your name and a password of your choice to the link below, which is yours alone:',
    '',
    `  curl ${invitation} --json '{"name":"…","password":"…"}'`,
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
