import { hour, number } from './format'
import type { Texts } from './language'
import { settings } from './de/settings'

const times = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`
const links = (count: number): string => times(count, 'Link', 'Links')

/** What the console says in German, written from the meaning. */
export const de: Texts = {
  show: 'Zeigen',
  hide: 'Verbergen',
  showPassword: 'Das Passwort zeigen',
  hidePassword: 'Das Passwort verbergen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  saving: 'Wird gespeichert …',
  undo: 'Rückgängig',
  tryAgain: 'Noch einmal',
  more: 'Mehr',
  loading: 'Wird geladen …',
  request: 'Anfrage',
  skip: 'Zum Inhalt',
  menu: 'Menü',
  optional: 'freiwillig',
  none: 'keine',
  notFound: { title: 'Diese Seite gibt es nicht', back: 'Zu den Links' },

  nav: {
    label: 'Seiten',
    links: 'Links',
    visits: 'Aufrufe',
    import: 'Import',
    trash: 'Papierkorb',
    settings: 'Einstellungen',
  },
  docs: 'Dokumentation',
  signOut: 'Abmelden',
  revision: (revision) => `Stand der Regeln: ${number(revision)}`,

  problem: ({ status, code, title, detail, rule, retryAfter, errors }) => {
    if (code === 'network_error')
      return 'Keine Verbindung. Was Sie getippt haben, bleibt stehen; versuchen Sie es noch einmal.'
    if (code === 'rate_limited') return `Zu viele Anfragen. In ${number(Math.ceil(retryAfter ?? 1))} s geht es weiter.`
    if (code === 'policy_denied') return `Das dürfen Sie nicht${rule === undefined ? '' : ` (${rule})`}.`
    if (code === 'role_not_allowed') return 'Ihre Rolle darf das nicht.'
    if (code === 'insufficient_scope') return 'Diese Anmeldung war für weniger gedacht. Melden Sie sich neu an.'
    if (code === 'precondition_failed')
      return 'Jemand anderes hat es inzwischen geändert. Was Sie getippt haben, bleibt: Laden Sie neu und vergleichen Sie.'
    if (code === 'not_found') return 'Das gibt es nicht mehr, oder es gab es nie.'
    if (status === 503)
      return 'Der Dienst antwortet gerade nicht. Was Sie getippt haben, bleibt stehen; versuchen Sie es noch einmal.'
    const faults = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return [title, detail, faults].filter(Boolean).join('. ')
  },

  door: {
    title: 'Bei Linkgate anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    signIn: 'Anmelden',
    signingIn: 'Wird angemeldet …',
    wrong: 'Adresse oder Passwort stimmen nicht.',
    forgot: 'Passwort vergessen?',
    forgotTitle: 'Ein neues Passwort',
    forgotLead: 'Wir schicken einen Link an Ihre Adresse, wenn sie hier ein Konto hat.',
    send: 'Link schicken',
    sent: 'Wenn diese Adresse ein Konto hat, ist ein Link unterwegs. Er gilt eine Stunde.',
    elsewhere: 'Sie haben sich in einem anderen Tab abgemeldet.',
    ended: (at) => `Ihre Sitzung ist um ${hour(at)} abgelaufen. Was Sie getippt haben, bleibt stehen.`,
  },

  links: {
    title: 'Links',
    target: 'Adresse, zu der der Link führt',
    placeholder: 'Adresse einfügen',
    create: 'Anlegen',
    creating: 'Wird angelegt …',
    options: 'Kürzel, Ende, Passwort …',
    made: (url) => `${url} ist bereit.`,
    search: 'Kürzel, Ziel, Titel, Notiz suchen',
    tag: 'Schlagwort',
    anyTag: 'alle',
    state: 'Zustand',
    states: { all: 'alle außer Papierkorb', active: 'an', inactive: 'aus', expired: 'abgelaufen' },
    sortedBy: 'Sortiert nach',
    sorts: {
      '-created_at': 'neueste',
      created_at: 'älteste',
      code: 'Kürzel',
      '-code': 'Kürzel, rückwärts',
      visits: 'meiste Aufrufe',
      '-visits': 'wenigste Aufrufe',
    },
    clearFilters: 'Filter aufheben',
    export: 'Exportieren',
    columns: {
      link: 'Link',
      target: 'Führt zu',
      tags: 'Schlagwörter',
      state: 'Zustand',
      visits: 'Aufrufe',
      actions: 'Aktionen',
    },
    visitsOf: (count) => (count === 1 ? 'Aufruf' : 'Aufrufe'),
    noTitle: 'Ohne Titel',
    select: (code) => `${code} auswählen`,
    selectAll: 'Alle gezeigten auswählen',
    selected: (count) => `${number(count)} ausgewählt`,
    clear: 'Aufheben',
    delete: 'Löschen',
    deleteMany: (count) => `${number(count)} löschen`,
    deleted: (count) =>
      count === 1
        ? 'Gelöscht. Sie können ihn aus dem Papierkorb zurückholen.'
        : `${links(count)} gelöscht. Sie können sie aus dem Papierkorb zurückholen.`,
    pause: 'Ausschalten',
    resume: 'Einschalten',
    addTag: 'Schlagwort',
    setEnd: 'Ende setzen',
    open: 'Öffnen',
    details: 'Aufrufe und Einstellungen',
    actionsFor: (code) => `Mehr für ${code}`,
    deleteOne: (code) => `${code} löschen`,
    copyOne: (url) => `${url} kopieren`,
    leftOut: (count, rule) => `${links(count)} bleiben außen vor: ${rule}`,
    changed: (count) => `${links(count)} geändert.`,
    refused: (count, why) => `${links(count)} konnten nicht geändert werden: ${why}`,
    empty: 'Noch kein Link. Fügen Sie oben eine Adresse ein und drücken Sie die Eingabetaste.',
    nothing: 'Nichts passt.',
    shown: (shown, all) => (all === undefined ? links(shown) : `${number(shown)} von ${number(all)}`),
    loadMore: 'Mehr laden',
    zone: (zone) => `Zeiten in ${zone}`,
    tagDialog: {
      title: (count) => `${links(count)} verschlagworten`,
      label: 'Schlagwörter, durch Kommas getrennt',
      add: 'Hinzufügen',
    },
    endDialog: {
      title: (count) => `Ein Ende für ${links(count)}`,
      label: 'Ab dann kommen Besucher nicht weiter',
    },
  },

  badges: {
    guarded: 'Passwort',
    off: 'aus',
    starts: (when) => `beginnt ${when}`,
    expires: (when) => `endet ${when}`,
    expired: 'abgelaufen',
    used: (used, most) => `${number(used)} von ${number(most)} Aufrufen`,
  },

  fields: {
    target: 'Führt zu',
    code: 'Kürzel',
    codeHint: 'Was hinter dem Namen des Servers steht. Ohne Angabe wird eines erzeugt.',
    title: 'Titel',
    note: 'Notiz',
    noteHint: 'Für alle, die den Link ändern dürfen.',
    tags: 'Schlagwörter',
    tagsHint: 'Durch Kommas getrennt.',
    starts: 'Beginnt',
    ends: 'Endet',
    maxVisits: 'Höchstens so viele Aufrufe',
    password: 'Passwort für Besucher',
    passwordHint: 'Mindestens 8 Zeichen. Es kann nicht mehr gelesen werden.',
    keepPassword: 'Es gibt eines. Leer lassen, um es zu behalten.',
    noPassword: 'Das Passwort entfernen',
    status: 'Weiterleitung',
    statuses: {
      301: '301, dauerhaft umgezogen',
      302: '302, gefunden',
      307: '307, gleiche Methode',
      308: '308, dauerhaft, gleiche Methode',
    },
    forward: 'Parameter des Besuchers weitergeben',
    active: 'An',
  },

  rights: {
    gateway: 'diese Anmeldung darf es nicht',
    endpoint: 'Ihre Rolle darf es nicht',
    object: (rule) => (rule === null ? 'die Regeln verbieten es' : `${rule}: gehört Ihnen nicht`),
  },

  settings,

  trash: {
    title: 'Papierkorb',
    lead: 'Was gelöscht wurde, wartet hier mit seinen Aufrufen. Das Kürzel ist frei und kann inzwischen vergeben sein.',
    empty: 'Nichts wurde gelöscht.',
    deletedAt: 'Gelöscht',
    restore: 'Zurückholen',
    restored: (code) => `${code} ist wieder da.`,
    taken: (code) => `${code} ist vergeben. Unter einem anderen Kürzel zurückholen:`,
  },
}
