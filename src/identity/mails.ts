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

/** To an address that somebody wants to be theirs. */
export const addressMail = (to: string, url: string, expiresAt: Date): Mail => ({
  to,
  subject: 'Confirm your address for Linkgate',
  text: lines(
    'Somebody, probably you, wants to use this address for their account.',
    '',
    'To confirm that it is yours, open this link:',
    '',
    `  ${url}`,
    '',
    `${once(expiresAt)} If it was not you, ignore this mail: nothing changes.`,
  ),
})

/** To the address that an account has, when another one was asked for with its password. */
export const addressAskedMail = (to: string): Mail => ({
  to,
  subject: 'Another address for your Linkgate account',
  text: lines(
    'Somebody, probably you, asked for another address for your account, and knew its password. It changes when the',
    'new address is confirmed.',
    '',
    'If it was not you, choose a new password at once: that ends the question as well.',
  ),
})

/** To the address that an account had until now. */
export const addressChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your Linkgate account has another address',
  text: lines(
    'The address of your account was changed, and this one is no longer used.',
    '',
    'If it was not you, tell whoever runs the service.',
  ),
})
