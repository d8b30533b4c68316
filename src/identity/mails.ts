import type { Mail } from './mailer.js'

const lines = (...each: readonly string[]): string => [...each, ''].join('\n')

const once = (expiresAt: Date): string => `It works once, until ${expiresAt.toUTCString()}.`

/** To the person who is invited. */
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

/** To a user who asked for a new password. */
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

/** To the new address that an account asked for. */
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

/** To the account's current address, after somebody with its password asked for another one. */
export const addressAskedMail = (to: string): Mail => ({
  to,
  subject: 'Another address for your Linkgate account',
  text: lines(
    'Somebody, probably you, entered the password of your account and asked to change its address. The address changes',
    'when the new one is confirmed.',
    '',
    'If it was not you, choose a new password at once: that cancels the change as well.',
  ),
})

/** To the previous address of an account. */
export const addressChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your Linkgate account has another address',
  text: lines(
    'The address of your account was changed, and this one is no longer used.',
    '',
    'If it was not you, tell the people who run the service.',
  ),
})
