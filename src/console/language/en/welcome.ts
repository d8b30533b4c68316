import { dateAndTime } from '../format'

export const welcome = {
  choose: {
    title: 'Welcome to Linkgate',
    lead: (email: string) => `Choose a password for ${email}, and you are in.`,
    name: 'Your name',
    email: 'Your e-mail address',
    emailHint: (first: string) => `You sign in with it. Without one you sign in as ${first}.`,
    enter: 'Set the password and sign in',
    entering: 'Signing in …',
    looking: 'Looking at the link …',
    over: 'This link is over.',
    overLead: 'It works once, within ten minutes. On the machine that Linkgate runs on, this prints another:',
    toSignIn: 'Sign in with a password',
  },
  title: (name: string) => `Welcome, ${name}`,
  lead: 'Two things to begin with. Both can wait.',
  link: {
    title: 'Make your first link',
    lead: 'Paste any address and press Enter. The short one is ready at once.',
  },
  invite: {
    title: 'Invite somebody',
    lead: 'They choose their own password.',
    email: 'Their e-mail address',
    role: 'Their role',
    invite: 'Make the invitation',
    inviting: 'Making it …',
    made: (email: string) => `Hand this link to ${email}`,
    madeHint: (until: string) =>
      `It works once, until ${dateAndTime(until)}, and is shown only here. With a mail server, it is mailed as well.`,
    another: 'Invite another',
  },
  import: 'Bring links along from Bitly, Shlink, Kutt or YOURLS',
  firstSteps: 'The first steps',
  toLinks: 'To your links',
  addressSet: (email: string) => `From now on you sign in as ${email}.`,
  addressAsked: (email: string) =>
    `A link is on its way to ${email}. It becomes your address once you open it; until then you sign in as before.`,
  notDone: (why: string) => `Your password is set. The rest was refused (${why}). Change it in Settings.`,
}
