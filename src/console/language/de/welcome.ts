import { dateAndTime } from '../format'
import type { Texts } from '../texts'

export const welcome: Texts['welcome'] = {
  choose: {
    title: 'Willkommen bei Linkgate',
    lead: (email) => `Wählen Sie ein Passwort für ${email}, und Sie sind drin.`,
    name: 'Ihr Name',
    email: 'Ihre E-Mail-Adresse',
    emailHint: (first) => `Damit melden Sie sich an. Ohne eine melden Sie sich als ${first} an.`,
    enter: 'Passwort setzen und anmelden',
    entering: 'Anmeldung läuft …',
    looking: 'Der Link wird geprüft …',
    over: 'Dieser Link gilt nicht mehr.',
    overLead:
      'Er gilt einmal und zehn Minuten lang. Auf dem Rechner, auf dem Linkgate läuft, gibt es damit einen neuen:',
    toSignIn: 'Mit Passwort anmelden',
  },
  title: (name) => `Willkommen, ${name}`,
  lead: 'Zwei Dinge für den Anfang. Beide können warten.',
  link: {
    title: 'Den ersten Link anlegen',
    lead: 'Fügen Sie eine Adresse ein und drücken Sie Enter. Die kurze ist sofort fertig.',
  },
  invite: {
    title: 'Jemanden einladen',
    lead: 'Eingeladene wählen ihr Passwort selbst.',
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    invite: 'Einladung anlegen',
    inviting: 'Wird angelegt …',
    made: (email) => `Geben Sie diesen Link an ${email} weiter`,
    madeHint: (until) =>
      `Er gilt einmal, bis ${dateAndTime(until)}, und steht nur hier. Mit einem Mailserver kommt er auch als Mail.`,
    another: 'Noch jemanden einladen',
  },
  import: 'Links von Bitly, Shlink, Kutt oder YOURLS mitbringen',
  firstSteps: 'Die ersten Schritte',
  toLinks: 'Zu Ihren Links',
  addressSet: (email) => `Ab jetzt melden Sie sich als ${email} an.`,
  addressAsked: (email) =>
    `Ein Link ist unterwegs an ${email}. Sobald Sie ihn öffnen, ist es Ihre Adresse; bis dahin bleibt die alte.`,
  notDone: (why) =>
    `Ihr Passwort ist gesetzt. Das Übrige wurde abgelehnt (${why}). Ändern Sie es in den Einstellungen.`,
}
