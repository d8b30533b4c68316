import { html } from '../html.js'
import type { Html } from '../html.js'

/** What the pages say, in English. A new language is a file like this one, and a line in languages.ts. */
export const en = {
  /** BCP 47 */
  language: 'en',
  request: (id: string) => `Request ${id}`,
  signIn: 'Sign in',

  home: {
    title: (host: string) => `Short links of ${host}`,
    lead: html`
      This is Linkgate. It keeps short addresses that lead to longer ones: whoever was given a link opens it and is led
      on. With a + at its end, a link shows where it leads and does not go there.
    `,
    console: 'Sign in, and make links',
    documentation: 'How programs use it',
  },

  preview: {
    title: (code: string) => `Where ${code} leads`,
    lead: 'You have not followed it yet.',
    name: 'Title',
    target: 'Target',
    guarded: 'The link has a password, and only whoever knows it is told where it leads.',
    follow: 'Follow the link',
    note: 'A preview: the + at the end asks for it.',
  },

  password: {
    title: 'This link has a password',
    lead: (address: Html) => html`Whoever gave you ${address} can tell you what it is.`,
    label: 'Password',
    faults: {
      wrong: 'That is not the password of this link. Capitals count.',
      missing: 'No password was sent.',
      long: 'That is longer than any password of a link.',
    },
    send: 'Go on',
  },

  invitation: {
    title: 'You are invited',
    lead: (host: string) => html`Choose a name and a password, and you have an account at ${host}.`,
    name: 'Name',
    nameHint: 'Others who work here see it.',
    nameFault: 'A name has 1 to 200 characters.',
    password: 'Password',
    passwordHint: 'At least 8 characters.',
    passwordFault: 'The password has to have 8 to 256 characters.',
    send: 'Accept the invitation',
    done: 'Your account is ready',
    doneLead: (email: Html) => html`From now on you sign in with ${email} and the password that you just chose.`,
  },

  newPassword: {
    title: 'Choose a new password',
    lead: (host: string) => html`It replaces the one that you had at ${host}, and ends all your sign-ins there.`,
    password: 'New password',
    endTokens: 'End the tokens of my programs, too',
    send: 'Set the password',
    done: 'Your new password is set',
    doneLead: 'Sign in with it from now on. Nobody is signed in with the old one any more.',
  },

  newAddress: {
    title: 'Confirm your address',
    lead: (email: Html) => html`From then on you sign in with ${email}, and get mails of this service there.`,
    send: 'Confirm it',
    done: 'Your address is confirmed',
    doneLead: (email: Html) => html`Your account has the address ${email} now. Sign in with it from now on.`,
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
      title: 'This is no invitation',
      lead: 'Perhaps a part of the link was lost on the way. Copy the whole of it from the message that you got.',
    },
    ended: {
      title: 'This link has ended',
      lead: (address: Html) =>
        html`${address} was open for a time or for a number of visits, and that is over. Whoever gave it to you can give
        you a new one.`,
    },
    gone: {
      title: 'This invitation is over',
      lead: 'It was used already, or its time is up. If you still need it, ask whoever invited you for a new one.',
    },
    over: {
      title: 'This link is over',
      lead: 'It was used already, or its time is up. Ask for a new one where you asked for this one.',
    },
    signIn: {
      title: 'Only for people who are signed in',
      lead: 'This address is for programs, which send the token of somebody who is signed in.',
    },
    forbidden: {
      title: 'You may not open this',
      lead: 'The rules of this service do not allow it. If you need it, ask whoever runs the service.',
    },
    method: {
      title: 'This address cannot be used like that',
      lead: 'Go back to where you came from, and open the address again.',
    },
    rejected: {
      title: 'That could not be done',
      lead: 'What your browser sent is not what this address expects. Go back, and try it once more.',
    },
    limited: {
      title: 'Too many requests',
      /** `when`: such as "in 12 seconds" */
      lead: (when: string) => `Many came from your network within a short time. Go on ${when}.`,
    },
    busy: {
      title: 'Not available right now',
      /** `when`: such as "in 12 seconds", or `soon` */
      lead: (when: string) => `Nothing is lost. Try again ${when}.`,
      soon: 'in a moment',
    },
    failed: {
      title: 'Something went wrong on our side',
      lead: 'Try again in a moment. If it stays like this, tell whoever runs the service the number below.',
    },
  },
}

/** Every text of the pages. A language that lacks one does not compile. */
export type Texts = typeof en
