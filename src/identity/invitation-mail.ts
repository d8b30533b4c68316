import { createTransport } from 'nodemailer'

/** Sends an invitation; rejects where the server does not take it. */
export type SendInvitation = (to: string, url: string, expiresAt: Date) => Promise<void>

/** Invitations by e-mail (RFC 5321). One connection a mail: invitations are rare. */
export const invitationMailer = ({ url, from }: { readonly url: string; readonly from: string }): SendInvitation => {
  const transport = createTransport(url, { from })
  return async (to, invitation, expiresAt) => {
    await transport.sendMail({
      to: { name: '', address: to },
      subject: 'Your invitation to Linkgate',
      text: `You are invited to Linkgate.\n\nTo accept, send your name and a password to\n\n  ${invitation}\n\nThe link works once, until ${expiresAt.toUTCString()}. If you do not know why you got it, ignore this mail.\n`,
    })
  }
}
