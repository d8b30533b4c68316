import { SIGN_IN_PATH } from '../../domain/sign-in-path.js'
import { html, type Html } from '../html.js'
import type { Texts } from './en.js'

/** Was auf den Seiten steht, auf Deutsch. */
export const de: Texts = {
  language: 'de',
  request: (id: string) => `Anfrage ${id}`,
  signIn: 'Anmelden',

  home: {
    title: (host: string) => `Kurzlinks von ${host}`,
    lead: html`
      Das ist Linkgate. Hier liegen kurze Adressen, die zu längeren führen: Wer einen Link bekommen hat, öffnet ihn und
      wird weitergeleitet. Mit einem + am Ende zeigt ein Link, wohin er führt, und geht nicht hin.
    `,
    console: 'Anmelden und Links anlegen',
    documentation: 'Wie Programme ihn nutzen',
  },

  preview: {
    title: (code: string) => `Wohin ${code} führt`,
    lead: 'Sie sind dem Link noch nicht gefolgt.',
    name: 'Titel',
    target: 'Ziel',
    guarded: 'Der Link hat ein Passwort, und nur wer es kennt, erfährt, wohin er führt.',
    follow: 'Dem Link folgen',
    note: 'Eine Vorschau: Darum bittet das + am Ende.',
  },

  password: {
    title: 'Dieser Link hat ein Passwort',
    lead: (address: Html) => html`Wer Ihnen ${address} gegeben hat, kann es Ihnen sagen.`,
    label: 'Passwort',
    faults: {
      wrong: 'Das ist nicht das Passwort dieses Links. Großbuchstaben zählen.',
      missing: 'Es wurde kein Passwort geschickt.',
      long: 'Das ist länger als jedes Passwort eines Links.',
    },
    send: 'Weiter',
  },

  invitation: {
    title: 'Sie sind eingeladen',
    lead: (host: string) => html`Wählen Sie einen Namen und ein Passwort, dann haben Sie ein Konto bei ${host}.`,
    name: 'Name',
    nameHint: 'Andere, die hier arbeiten, sehen ihn.',
    nameFault: 'Ein Name hat 1 bis 200 Zeichen.',
    password: 'Passwort',
    passwordHint: 'Mindestens 8 Zeichen.',
    passwordFault: 'Das Passwort braucht 8 bis 256 Zeichen.',
    send: 'Einladung annehmen',
    done: 'Ihr Konto ist fertig',
    doneLead: (email: Html) => html`Ab jetzt melden Sie sich mit ${email} und dem eben gewählten Passwort an.`,
  },

  newPassword: {
    title: 'Wählen Sie ein neues Passwort',
    lead: (host: string) => html`Es ersetzt Ihr bisheriges bei ${host} und beendet dort alle Ihre Anmeldungen.`,
    password: 'Neues Passwort',
    endTokens: 'Auch die Tokens meiner Programme beenden',
    send: 'Passwort setzen',
    done: 'Ihr neues Passwort gilt',
    doneLead: 'Melden Sie sich ab jetzt damit an. Mit dem alten ist niemand mehr angemeldet.',
  },

  newAddress: {
    title: 'Bestätigen Sie Ihre Adresse',
    lead: (email: Html) => html`Danach melden Sie sich mit ${email} an und bekommen dort die Mails dieses Dienstes.`,
    send: 'Bestätigen',
    done: 'Ihre Adresse ist bestätigt',
    doneLead: (email: Html) => html`Ihr Konto hat jetzt die Adresse ${email}. Melden Sie sich ab jetzt damit an.`,
  },

  refusals: {
    link: {
      title: 'Hier ist kein Link',
      lead: (address: Html) =>
        html`${address} führt nirgendwohin. Jeder Buchstabe zählt, auch ob er groß ist: Vergleichen Sie die Adresse mit
        der, die Sie bekommen haben.`,
    },
    address: {
      title: 'Unter dieser Adresse ist nichts',
      lead: 'Vergleichen Sie sie mit der, die Sie bekommen haben: Jeder Buchstabe zählt, auch ob er groß ist.',
    },
    invitation: {
      title: 'Das ist keine Einladung',
      lead: 'Vielleicht ging ein Teil des Links verloren. Kopieren Sie ihn ganz aus der Nachricht, die Sie bekamen.',
    },
    ended: {
      title: 'Dieser Link ist abgelaufen',
      lead: (address: Html) =>
        html`${address} war für eine Zeit oder eine Zahl von Besuchen offen, und das ist vorbei. Wer Ihnen den Link
        gegeben hat, kann Ihnen einen neuen geben.`,
    },
    gone: {
      title: 'Diese Einladung gilt nicht mehr',
      lead: html`Sie wurde schon angenommen, oder ihre Zeit ist um. Haben Sie sie selbst angenommen,
        <a href="${SIGN_IN_PATH}">melden Sie sich an</a>. Sonst kann, wer Sie eingeladen hat, es noch einmal tun.`,
    },
    over: {
      title: 'Dieser Link gilt nicht mehr',
      lead: html`Er wurde schon benutzt, oder seine Zeit ist um. Haben Sie ihn selbst benutzt,
        <a href="${SIGN_IN_PATH}">melden Sie sich an</a>. Bitten Sie sonst dort um einen neuen, wo Sie schon um diesen
        baten.`,
    },
    damaged: {
      title: 'Dieser Link geht so nicht',
      lead: 'Vielleicht fehlt etwas, oder etwas ist zu viel. Kopieren Sie ihn ganz aus der Nachricht, die Sie bekamen.',
    },
    signIn: {
      title: 'Nur für Angemeldete',
      lead: 'Diese Adresse ist für Programme. Sie schicken das Token von jemandem, der angemeldet ist.',
    },
    forbidden: {
      title: 'Das dürfen Sie nicht öffnen',
      lead: 'Die Regeln dieses Dienstes erlauben es nicht. Wenn Sie es brauchen, fragen Sie, wer ihn betreibt.',
    },
    method: {
      title: 'So lässt sich diese Adresse nicht nutzen',
      lead: 'Gehen Sie dorthin zurück, wo Sie herkamen, und öffnen Sie die Adresse noch einmal.',
    },
    rejected: {
      title: 'Das ging nicht',
      lead: 'Was Ihr Browser geschickt hat, erwartet diese Adresse nicht. Gehen Sie zurück, und versuchen Sie es neu.',
    },
    limited: {
      title: 'Zu viele Anfragen',
      lead: (when: string) => `Aus Ihrem Netz kamen viele in kurzer Zeit. Weiter geht es ${when}.`,
    },
    busy: {
      title: 'Gerade nicht erreichbar',
      lead: (when: string) => `Es ist nichts verloren. Versuchen Sie es ${when} wieder.`,
      soon: 'in einem Augenblick',
    },
    failed: {
      title: 'Bei uns ging etwas schief',
      lead: 'Versuchen Sie es gleich noch einmal. Bleibt es so, nennen Sie dem Betreiber die Nummer unten.',
    },
  },
}
