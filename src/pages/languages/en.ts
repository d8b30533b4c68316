import { SIGN_IN_PATH } from '../../domain/sign-in-path.js'
import { html, type Html } from '../html.js'

/** The texts of the pages in English. A new language needs a file like this one, and a line in languages.ts. */
export const en = {
  /** BCP 47 */
  language: 'en',
  request: (id: string) => `Request ${id}`,
  signIn: 'Sign in',

  home: {
    title: (host: string) => `Short links of ${host}`,
    lead: html`
      This is Linkgate, which keeps short addresses for longer ones. Opening a link takes you to the address behind it.
      Add a + to the end of a link to see where it leads without going there.
    `,
    console: 'Sign in and create links',
    documentation: 'How programs use it',
  },

  preview: {
    title: (code: string) => `Where ${code} leads`,
    lead: 'You have not followed it yet.',
    name: 'Title',
    target: 'Target',
    guarded: 'The link has a password, and only people who know it can see where it leads.',
    follow: 'Follow the link',
    note: 'A preview: the + at the end asks for it.',
  },

  password: {
    title: 'This link has a password',
    lead: (address: Html) => html`Ask the person who gave you ${address} for it.`,
    label: 'Password',
    faults: {
      wrong: 'That is not the password of this link. Capitals count.',
      missing: 'No password was sent.',
      long: 'That is longer than any password of a link.',
    },
    send: 'Continue',
  },

  invitation: {
    title: 'You are invited',
    lead: (host: string) => html`Choose a name and a password to get an account at ${host}.`,
    name: 'Name',
    nameHint: 'Your colleagues here can see it.',
    nameFault: 'A name has 1 to 200 characters.',
    password: 'Password',
    passwordHint: 'At least 8 characters.',
    passwordFault: 'The password must have 8 to 256 characters.',
    send: 'Accept the invitation',
    done: 'Your account is ready',
    doneLead: (email: Html) => html`From now on you sign in with ${email} and the password that you just chose.`,
  },

  newPassword: {
    title: 'Choose a new password',
    lead: (host: string) => html`It replaces your current one at ${host}, and ends all your sign-ins there.`,
    password: 'New password',
    endTokens: 'Also revoke the tokens of my programs',
    send: 'Set the password',
    done: 'Your new password is set',
    doneLead: 'Sign in with it from now on. All sign-ins with the old one have ended.',
  },

  newAddress: {
    title: 'Confirm your address',
    lead: (email: Html) => html`From then on you sign in with ${email}, and get mails of this service there.`,
    send: 'Confirm it',
    done: 'Your address is confirmed',
    doneLead: (email: Html) => html`Your account now has the address ${email}. Sign in with it from now on.`,
  },

  refusals: {
    link: {
      title: 'There is no link here',
      lead: (address: Html) =>
        html`${address} leads nowhere. Capitals count, and so does every letter: compare it with what you were given.`,
    },
    address: {
      title: 'There is nothing at this address',
      lead: 'Compare it with what you were given: every letter counts, and so do capitals.',
    },
    invitation: {
      title: 'This is not an invitation',
      lead: 'Perhaps a part of the link was lost. Copy the whole link from the message that you got.',
    },
    ended: {
      title: 'This link has ended',
      lead: (address: Html) =>
        html`${address} was open for a limited time or number of visits, which is over. The person who gave it to you
        can give you a new one.`,
    },
    gone: {
      title: 'This invitation is over',
      lead: html`It was used already, or has expired. If you accepted it yourself,
        <a href="${SIGN_IN_PATH}">sign in</a>. Otherwise ask the person who invited you for a new one.`,
    },
    over: {
      title: 'This link is over',
      lead: html`It was used already, or has expired. If you used it yourself, <a href="${SIGN_IN_PATH}">sign in</a>.
        Otherwise ask for a new one where you asked for this one.`,
    },
    damaged: {
      title: 'This link does not work',
      lead: 'Perhaps a part of it was lost, or something was added. Copy the whole link from the message that you got.',
    },
    signIn: {
      title: 'Only for signed-in users',
      lead: 'This address is for programs, which send the token of a signed-in user.',
    },
    forbidden: {
      title: 'You may not open this',
      lead: 'The rules of this service do not allow it. If you need it, ask the people who run the service.',
    },
    method: {
      title: 'This address cannot be used like that',
      lead: 'Go back to where you came from, and open the address again.',
    },
    rejected: {
      title: 'That could not be done',
      lead: 'This address does not accept what your browser sent. Go back, and try again.',
    },
    limited: {
      title: 'Too many requests',
      /** `when`: such as "in 12 seconds" */
      lead: (when: string) => `Many requests came from your network in a short time. Try again ${when}.`,
    },
    busy: {
      title: 'Not available right now',
      /** `when`: such as "in 12 seconds", or `soon` */
      lead: (when: string) => `Nothing is lost. Try again ${when}.`,
      soon: 'in a moment',
    },
    failed: {
      title: 'Something went wrong on our side',
      lead: 'Try again in a moment. If it keeps happening, give the number below to the people who run the service.',
    },
  },
}

/** All texts of the pages. A language with a missing text does not compile. */
export type Texts = typeof en
