import type { Mail } from './mailer.js'

const lines = (...each: readonly string[]): string => [...each, ''].join('\n')

const once = (expiresAt: Date): string => `It works once, until ${expiresAt.toUTCString()}.`

/** To somebody who is invited. */
export const invitationMail = (to: string, url: string, expiresAt: Date): Mail => ({
  to,
  subject: 'Your invitation to Linkgate',
  text: lines(
    'You are invited to Linkgate.',
    '',
    'To accept, open this link, which is yours alone, and choose a name and a password:',
    '',
    `  ${url}`,
    '',
    `${once(expiresAt)} If you do not know why you got it, ignore this mail.`,
  ),
})

/** To whoever has forgotten their password. */
export const passwordMail = (to: string, url: string, expiresAt: Date): Mail => ({
  to,
  subject: 'A new password for Linkgate',
  text: lines(
    'Somebody, probably you, asked for a new password for your account.',
    '',
    'To choose one, open this link, which is yours alone:',
    '',
    `  ${url}`,
    '',
    `${once(expiresAt)} If it was not you, ignore this mail: your password stays.`,
  ),
})
