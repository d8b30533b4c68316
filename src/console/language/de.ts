import { hour, listed, moment, number, percent, wait } from './format'
import { allFaults } from './fault-words'
import type { Texts } from './texts'
import { access } from './de/access'
import { decisions, notLive } from './de/decisions'
import { explain } from './de/explain'
import { imports } from './de/import'
import { model } from './de/model'
import { policy } from './de/policy'
import { detailOf, titleOf } from './de/refusals'
import { revisions } from './de/revisions'
import { proof } from './de/proof'
import { propose } from './de/propose'
import { proposals } from './de/proposals'
import { settings } from './de/settings'
import { users } from './de/users'
import { welcome } from './de/welcome'

const times = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`
const links = (count: number): string => times(count, 'Link', 'Links')

/** Who has a right, by which rule. */
const holders = (
  all: readonly { readonly who: string; readonly role?: string; readonly rule: string }[],
  isOwn: boolean,
): string => {
  const owner = isOwn ? 'Sie als Besitzer' : 'wem er gehört'
  const each = all.map(({ who, role, rule }) => `${who === 'owner' ? owner : `die Rolle ${role}`} (${rule})`)
  return each.length === 0 ? 'niemand' : listed(each)
}

/** Was an einem Zeitpunkt nicht stimmt, oder an einem Feld, das true oder false ist. */
const ofTime = (name: string) => ({
  'must be a time as in RFC 3339, such as 2027-01-31T12:00:00Z': `${name} ist kein Zeitpunkt wie 2027-01-31T12:00:00Z.`,
  'must be a time from 1970 to 9999': `${name} liegt nicht zwischen 1970 und 9999.`,
})
const ofFlag = (name: string) => ({ 'must be true or false': `${name} ist nicht true oder false.` })

/** Was an einem Feld nicht stimmt, nach dem, was der Dienst dazu sagt. */
const faults: Texts['faults'] = {
  target: {
    'must be an absolute http or https URL': 'Schreiben Sie die ganze Adresse, mit http:// oder https:// davor.',
    'must not contain spaces, control characters or backslashes':
      'In einer Adresse stehen keine Leerzeichen, Steuerzeichen oder umgekehrten Schrägstriche.',
    'must not contain half a character': 'In dieser Adresse steht ein halbes Zeichen. Kopieren Sie sie noch einmal.',
    'must not contain credentials':
      'Eine Adresse, in der ein Benutzername oder ein Passwort steht, wird nicht angenommen.',
    'must not be on this service itself':
      'Diese Adresse gehört zu diesem Dienst selbst: Der Link würde im Kreis führen.',
    'must be at most 2048 characters': 'Diese Adresse ist länger als 2.048 Zeichen.',
  },
  code: {
    'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -':
      '1 bis 64 Buchstaben von A bis Z, Ziffern, _ und -, ohne Leerzeichen.',
    'is reserved for the service': 'Dieses Kürzel braucht der Dienst selbst. Wählen Sie ein anderes.',
    'is taken': 'Dieses Kürzel ist vergeben. Wählen Sie ein anderes.',
  },
  tags: {
    'must be 1 to 40 letters, digits, spaces, dots, _ and -, and begin with a letter or digit':
      'Ein Schlagwort hat 1 bis 40 Buchstaben, Ziffern, Leerzeichen, . _ und -; vorn Buchstabe oder Ziffer.',
    'must be at most 20 tags': 'Höchstens 20 Schlagwörter.',
  },
  title: {
    'must be at most 200 characters': 'Ein Titel hat höchstens 200 Zeichen.',
    'must be one line': 'Ein Titel ist eine einzige Zeile.',
  },
  note: { 'must be at most 2000 characters': 'Eine Notiz hat höchstens 2.000 Zeichen.' },
  status: { 'must be 301, 302, 307 or 308': 'Eine Weiterleitung ist 301, 302, 307 oder 308.' },
  active: ofFlag('„active“'),
  forward_query: ofFlag('„forward_query“'),
  starts_at: { ...ofTime('Der Beginn'), 'must be before expires_at': 'Der Beginn liegt nicht vor dem Ende.' },
  expires_at: { ...ofTime('Das Ende'), 'must be after starts_at': 'Das Ende liegt nicht nach dem Beginn.' },
  max_visits: {
    'must be a number': 'Die Zahl der Aufrufe ist keine Zahl.',
    'must be an integer': 'Die Zahl der Aufrufe ist keine ganze Zahl.',
    'must be at least 1': 'Mindestens 1 Aufruf.',
    'must be at most 1000000000': 'Höchstens 1.000.000.000 Aufrufe.',
  },
  password: {
    'must have at least 8 characters': 'Mindestens 8 Zeichen.',
    'must have at most 200 characters': 'Höchstens 200 Zeichen.',
    'must have at most 256 characters': 'Höchstens 256 Zeichen.',
  },
  current_password: {
    'is not the password of this account': 'Das ist nicht Ihr jetziges Passwort.',
  },
  email: {
    'is taken': 'Jemand hier hat diese Adresse schon.',
    'must be one e-mail address in ASCII, such as ada@example.com':
      'Schreiben Sie eine einzige Adresse wie ada@example.com, in Buchstaben von A bis Z.',
  },
  user: { 'is not the id of a user': 'Niemand hier hat diese Nummer.' },
  link: { 'is not the code of a link': 'Es gibt keinen Link mit diesem Kürzel.' },
  owner_id: { 'must be a user': 'Niemand hier hat diese Nummer.' },
  links: { 'must name another user, who exists': 'Niemand sonst hier hat diese Nummer.' },
  name: {
    'must not be empty': 'Der Name fehlt.',
    'must be one line': 'Ein Name ist eine Zeile.',
    'must have at most 200 characters': 'Höchstens 200 Zeichen.',
  },
  until: ofTime('Der Zeitpunkt'),
  from: { ...ofTime('Der Anfang'), 'must be in the past': 'Diese Zeit ist noch nicht vergangen.' },
  to: { ...ofTime('Das Ende'), 'must be later than from': 'Das Ende liegt nicht nach dem Anfang.' },
}

/** What the console says in German, written from the meaning. */
export const de: Texts = {
  show: 'Zeigen',
  hide: 'Verbergen',
  showPassword: 'Das Passwort zeigen',
  hidePassword: 'Das Passwort verbergen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Nicht kopiert: Der Browser lehnt es ab',
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  saving: 'Wird gespeichert …',
  undo: 'Rückgängig',
  stop: 'Anhalten',
  tryAgain: 'Noch einmal',
  loading: 'Wird geladen …',
  request: 'Anfrage',
  skip: 'Zum Inhalt',
  menu: 'Menü',
  optional: 'optional',
  // of any gender and number: a title, a password, tags
  none: 'nicht vorhanden',
  shown: (shown: number, all: number | undefined) =>
    all === undefined ? number(shown) : `${number(shown)} von ${number(all)}`,
  more: (count) => `${count} weitere`,
  found: (count) => `Gefunden: ${count}`,
  notFound: { title: 'Diese Seite gibt es nicht', back: 'Zu den Links' },
  notLoaded: {
    title: 'Diese Seite konnte nicht geladen werden',
    why: 'Der Dienst ist nicht erreichbar oder wurde aktualisiert, seit Sie die Konsole geöffnet haben.',
    reload: 'Konsole neu laden',
  },

  nav: {
    label: 'Seiten',
    links: 'Links',
    visits: 'Aufrufe',
    import: 'Import',
    trash: 'Papierkorb',
    settings: 'Einstellungen',
    access: 'Wer darf was',
    policy: 'Regeln',
    revisions: 'Fassungen',
    proposals: 'Vorschläge',
    openProposals: (count: number) => `${number(count)} offen`,
    users: 'Personen',
    explain: 'Erklären',
    model: 'model.conf',
    rights: 'Rechte',
    record: 'Protokoll',
    decisions: 'Entscheidungen',
    proof: 'Nachweis',
  },
  docs: 'Dokumentation',
  signOut: 'Abmelden',
  stillSignedIn: (why) => `Sie sind noch angemeldet. ${why}`,
  revision: (revision) => `Fassung ${number(revision)} der Regeln`,

  problem: ({ status, code, title, detail, rule, retryAfter, errors }) => {
    if (code === 'network_error')
      return 'Keine Verbindung. Was Sie getippt haben, bleibt stehen; versuchen Sie es noch einmal.'
    if (code === 'rate_limited') return `Zu viele Anfragen. In ${wait(retryAfter ?? 1)} geht es weiter.`
    if (code === 'policy_denied') return `Das dürfen Sie nicht${rule === undefined ? '' : ` (${rule})`}.`
    if (code === 'role_not_allowed') return 'Ihre Rolle darf das nicht.'
    if (code === 'invalid_token')
      return 'Ihre Anmeldung gilt hier nicht: Zu ihr gehört niemand, oder sie ist für woanders. Fragen Sie einen Admin.'
    if (code === 'insufficient_scope') return 'Diese Anmeldung war für weniger gedacht. Melden Sie sich neu an.'
    if (code === 'precondition_failed')
      return 'Jemand anderes hat es inzwischen geändert. Was Sie getippt haben, bleibt. Laden und vergleichen Sie es.'
    if (code === 'not_found') return 'Das gibt es nicht mehr, oder es gab es nie.'
    if (code === 'code_taken') return 'Das Kürzel ist vergeben. Wählen Sie ein anderes.'
    if (code === 'email_taken') return 'Jemand hier hat diese Adresse schon.'
    if (code === 'has_links') return 'Es gibt noch Links. Sagen Sie, was aus ihnen wird.'
    if (code === 'conflict') return 'Jemand anderes hat es zur selben Zeit geändert. Laden und vergleichen Sie es.'
    if (code === 'last_admin')
      return 'Der letzte aktive Admin muss bleiben. Machen Sie zuerst jemand anderen zum Admin.'
    if (code === 'beyond_own_rights')
      return ['Das gibt oder nimmt Rechte, die Sie selbst nicht haben.', detailOf(detail ?? '')]
        .filter(Boolean)
        .join(' ')
    if (['validation_failed', 'invalid_query'].includes(code) && errors.length > 0)
      return `Eine Angabe stimmt nicht. ${allFaults(faults, errors)}`
    if (code === 'deadline_exceeded')
      return 'Das hat zu lange gedauert. Versuchen Sie es noch einmal, oder fragen Sie nach weniger.'
    if ([502, 503, 504].includes(status))
      return 'Der Dienst antwortet gerade nicht. Was Sie getippt haben, bleibt stehen; versuchen Sie es noch einmal.'
    if (code === 'unexpected_answer') return `Etwas anderes hat statt des Dienstes geantwortet (${detail ?? status}).`
    if (code === 'proposal_closed') return 'Der Vorschlag ist nicht mehr offen: Es ist nichts geschehen.'
    if (code === 'too_many_tokens') return 'Sie haben so viele Tokens, wie es geben darf. Widerrufen Sie erst eines.'
    if (code === 'internal_error')
      return 'Im Dienst ist etwas schiefgegangen. Wer ihn betreibt, findet den Grund in seinen Meldungen.'
    const said = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return [titleOf({ code, title }), detailOf(detail ?? '') || said].filter(Boolean).join('. ')
  },

  titleOf,
  detailOf,
  faults,
  lost: {
    since: (since) => `Keine Verbindung seit ${moment(since)}.`,
    again: (since, seen, againIn) => {
      const again = againIn === null ? 'gerade' : `in ${number(againIn)} s`
      if (seen === null) return `Wir versuchen es ${again} wieder.`
      const from = moment(seen) === moment(since) ? 'diesem Zeitpunkt' : moment(seen)
      return `Sie sehen den Stand von ${from}; wir versuchen es ${again} wieder.`
    },
  },
  unsaved: {
    ask: 'Gehen, ohne zu speichern?',
    lead: 'Was Sie im Formular geändert haben, ist nicht gespeichert.',
    discard: 'Änderungen verwerfen',
    stay: 'Weiter bearbeiten',
  },

  door: {
    title: 'Bei Linkgate anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    signIn: 'Anmelden',
    signingIn: 'Wird angemeldet …',
    wrong: 'Adresse oder Passwort stimmt nicht.',
    forgot: 'Passwort vergessen?',
    forgotTitle: 'Ein neues Passwort',
    forgotLead: 'Wir schicken einen Link an Ihre Adresse, wenn sie hier ein Konto hat.',
    send: 'Link schicken',
    sent: 'Wenn diese Adresse ein Konto hat, ist ein Link unterwegs. Er gilt eine Stunde.',
    notSetUp: 'Hier kann sich noch niemand anmelden: Wer den Dienst betreibt, muss CONSOLE_CLIENT_ID setzen.',
    issuerAway: 'Der Dienst, der Ihr Passwort kennt, antwortet gerade nicht.',
    refusedAt: (host, error) =>
      error === 'access_denied'
        ? `${host} hat Sie nicht angemeldet: Es wurde dort abgelehnt oder abgebrochen.`
        : `${host} hat Sie nicht angemeldet: ${error}.`,
    keepsNothing:
      'Dieser Browser speichert keine Daten für diese Website. Ohne sie geht die Anmeldung nicht: ' +
      'Erlauben Sie es, und versuchen Sie es noch einmal.',
    continueAt: (host) => `Weiter bei ${host}`,
    elsewhere:
      'Sie haben sich in einem anderen Tab abgemeldet. Was Sie hier getippt haben, bleibt erhalten, bis Sie sich ' +
      'wieder anmelden.',
    ended: (at) => `Ihre Sitzung ist um ${hour(at)} abgelaufen. Was Sie getippt haben, bleibt stehen.`,
  },

  already: {
    title: 'Hier ist schon jemand angemeldet',
    lead: 'Wenn Sie das nicht sind, melden Sie sich ab und dann mit Ihrem eigenen Konto an.',
    stay: 'Das bin ich',
  },

  links: {
    target: 'Adresse, zu der der Link führt',
    placeholder: 'Adresse einfügen',
    create: 'Anlegen',
    creating: 'Wird angelegt …',
    options: 'Kürzel, Ende, Passwort …',
    search: 'Kürzel, Ziel, Titel, Notiz suchen',
    tag: 'Schlagwort',
    anyTag: 'alle',
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
    exportListed: 'Diese exportieren',
    columns: {
      link: 'Link',
      target: 'Führt zu',
      tags: 'Schlagwörter',
      state: 'Zustand',
      visits: 'Aufrufe',
      actions: 'Aktionen',
    },
    visitsOf: (count) => (count === 1 ? 'Aufruf' : 'Aufrufe'),
    moreTags: (count) => times(count, 'weiteres Schlagwort', 'weitere Schlagwörter'),
    noTitle: 'Ohne Titel',
    select: (code) => `${code} auswählen`,
    selectAll: 'Alle gezeigten auswählen',
    selected: (count) => `${number(count)} ausgewählt`,
    clear: 'Aufheben',
    delete: 'Löschen',
    deleteMany: (count) => `${number(count)} löschen`,
    deleted: (count, days) =>
      `${count === 1 ? 'Gelöscht' : `${links(count)} gelöscht`}. ` +
      `${times(days, 'Tag', 'Tage')} lang können Sie ${count === 1 ? 'ihn' : 'sie'} aus dem Papierkorb zurückholen.`,
    forGood: {
      title: (count) => (count === 1 ? 'Diesen Link endgültig löschen?' : `${links(count)} endgültig löschen?`),
      text: 'Dieser Dienst hat keinen Papierkorb: Es ist nicht rückgängig zu machen, auch die Aufrufe sind dann weg.',
      done: 'Endgültig gelöscht.',
    },
    pause: 'Ausschalten',
    resume: 'Einschalten',
    setEnd: 'Ende setzen',
    open: 'Öffnen',
    details: 'Aufrufe und Einstellungen',
    actionsFor: (code) => `Mehr für ${code}`,
    deleteOne: (code) => `${code} löschen`,
    copyOne: (url) => `${url} kopieren`,
    leftOut: (count, rule) => `${links(count)} ${count === 1 ? 'bleibt' : 'bleiben'} außen vor: ${rule}`,
    changed: (count) => `${links(count)} geändert.`,
    refused: (count, why) => `${links(count)} ${count === 1 ? 'konnte' : 'konnten'} nicht geändert werden: ${why}`,
    empty: 'Noch kein Link. Fügen Sie oben eine Adresse ein und drücken Sie Enter.',
    noneYet: 'Noch kein Link.',
    onlyTag: (tag) => `Schlagwort: ${tag}`,
    onlyState: (state) => `Zustand: ${state}`,
    nothing: (filters) => `Nichts passt zu ${listed(filters)}.`,
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
    starts: (when) => `beginnt ${when}`,
    expires: (when) => `endet ${when}`,
    everyCounts: 'Jede Weiterleitung zählt, auch die eines Bots.',
    used: (used, most) => `${number(used)} von ${times(most, 'Aufruf', 'Aufrufen')}`,
  },

  fields: {
    target: 'Führt zu',
    code: 'Kürzel',
    codeHint: 'Was hinter dem Namen des Servers steht. Ohne Angabe wird eines erzeugt.',
    taken: (code) => `${code} ist vergeben.`,
    free: 'Frei:',
    title: 'Titel',
    note: 'Notiz',
    noteHint: 'Für alle, die den Link ändern dürfen.',
    tags: 'Schlagwörter',
    tagsHint: 'Durch Kommas getrennt.',
    starts_at: 'Beginnt',
    expires_at: 'Endet',
    pastEnd: 'Das ist schon vorbei: Besucher erfahren, dass der Link abgelaufen ist.',
    max_visits: 'Höchstens so viele Aufrufe',
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
    forward_query: 'Parameter des Besuchers weitergeben',
    active: 'An',
  },

  rights: {
    gateway: 'diese Anmeldung darf es nicht',
    endpoint: 'Ihre Rolle darf es nicht',
    object: (rule) => (rule === null ? 'die Regeln verbieten es' : `${rule}: die Regeln verbieten es`),
    link: (rule) => (rule === null ? 'die Regeln verbieten es' : `${rule}: gehört Ihnen nicht`),
  },

  access,
  decisions,
  proof,
  explain,
  imports,
  model,
  policy,
  revisions,
  propose,
  proposals,
  settings,
  users,
  welcome,

  trash: {
    lead: 'Was gelöscht wurde, wartet hier mit seinen Aufrufen. Das Kürzel ist frei und kann inzwischen vergeben sein.',
    empty: 'Nichts wurde gelöscht.',
    deletedAt: 'Gelöscht',
    restore: 'Zurückholen',
    restored: (code) => `${code} ist wieder da.`,
    otherCode: (code) => `${code} unter einem anderen Kürzel zurückholen`,
    taken: 'Das Kürzel hat jetzt ein anderer Link. Im Papierkorb lässt sich dieser unter einem anderen zurückholen.',
  },

  visits: {
    period: 'Zeitraum',
    periods: { '24h': '24 h', '7d': '7 Tage', '30d': '30 Tage', '1y': '1 Jahr' },
    before: {
      '24h': 'die 24 Stunden davor',
      '7d': 'die 7 Tage davor',
      '30d': 'die 30 Tage davor',
      '1y': 'das Jahr davor',
    },
    ofAll: 'Links, die Sie ändern dürfen',
    ofTagged: (tags) => `Links mit ${listed(tags)}`,
    mostVisited: 'Am meisten aufgerufen',
    span: (from, to) => (from === to ? from : `${from} bis ${to}`),
    visitors: 'Besucher, je Tag gezählt',
    visitorsShort: 'Besucher',
    beforeShort: 'Davor',
    busiest: { hour: 'Stärkste Stunde', day: 'Stärkster Tag', week: 'Stärkste Woche' },
    bots: 'Bots, getrennt gezählt',
    botsApart: 'in den Zahlen hier nicht enthalten',
    compared: (compared) => {
      if (compared.is === 'same') return 'so viele wie davor'
      if (compared.is === 'first') return 'davor keine'
      if (compared.share >= 10) return 'mehr als zehnmal so viele wie davor'
      if (compared.share >= 2) return `${number(Math.round(compared.share + 1))}-mal so viele wie davor`
      return `${percent(compared.share)} ${compared.is === 'more' ? 'mehr' : 'weniger'} als davor`
    },
    chart: { hour: 'Aufrufe je Stunde', day: 'Aufrufe je Tag', week: 'Aufrufe je Woche' },
    numbers: (visits, visitors) => `${times(visits, 'Aufruf', 'Aufrufe')}, ${number(visitors)} Besucher`,
    comparedMoment: (moment, before) => `${moment}; davor: ${number(before)}`,
    soFar: (moment) => `${moment}, bis jetzt`,
    weekOf: (day) => `Woche ab ${day}`,
    asTable: 'Dieselben Zahlen als Tabelle',
    when: { hour: 'Stunde', day: 'Tag', week: 'Woche' },
    none: 'In dieser Zeit kam niemand.',
    noneHint: 'Wählen Sie einen längeren Zeitraum, oder kopieren Sie einen Link und geben Sie ihn weiter.',
    notCounting: 'Aufrufe werden hier nicht gezählt',
    fromBefore: 'Wer diesen Dienst betreibt, hat das abgeschaltet. Frühere Zahlen bleiben.',
    nothing: 'Nichts in dieser Zeit.',
    by: {
      referrer: 'Herkunft',
      country: 'Länder',
      browser: 'Browser',
      os: 'Systeme',
      device: 'Geräte',
    },
    devices: { desktop: 'Computer', mobile: 'Telefon', tablet: 'Tablet', tv: 'Fernseher' },
    noReferrer: 'Ohne Angabe',
    notTold: 'Nicht bekannt',
    noCountries:
      'Von niemandem ist das Land bekannt. Dazu braucht es eine Datei mit Ländern, die der Betreiber beisteuern kann.',
    other: (values) => (values === null ? 'Andere' : `${number(values)} andere`),
    all: 'Alle',
    showAll: (what) => `Alle: ${what}`,
    fewer: 'Weniger',
    showFewer: (what) => `Weniger: ${what}`,
    live: (live) => {
      if (live.is === 'connecting') return 'Wird verbunden …'
      if (live.is === 'on')
        return live.lastMinute === 0 ? 'Live' : `Live, ${number(live.lastMinute)} in der letzten Minute`
      if (live.is === 'paused') return live.fresh === 0 ? 'Angehalten' : `Angehalten, ${number(live.fresh)} neu`
      return notLive(live)
    },
    hold: '; Zahlen anhalten',
    goOn: '; weiter',
  },

  link: {
    leadsTo: 'führt zu',
    nobodyYet: 'Noch niemand hat ihn aufgerufen. Jeder Aufruf steht nach einer Sekunde hier.',
    behindPassword: 'Ein Passwort schützt ihn. Besucher erfahren das Ziel, wenn sie es eingegeben haben.',
    notYours: (why) =>
      'Sie sehen, was alle Besucher wissen können. Aufrufe und Einstellungen sind für die, die ihn ändern dürfen: ' +
      `${why}.`,
    you: 'Sie',
    nobody: 'niemand',
    user: (id) => `Person ${id}`,
    export: 'Aufrufe exportieren',
    closed: {
      off: 'Er ist aus. Besucher erfahren, dass hier nichts ist.',
      early: (when) => `Er beginnt am ${when}. Bis dahin erfahren Besucher, dass hier nichts ist.`,
      over: (when) => `Er ist am ${when} abgelaufen. Besucher erfahren das.`,
    },
    settings: {
      title: 'Einstellungen',
      names: {
        has_password: 'Passwort',
        forward_query: 'Parameter des Besuchers',
      },
      atOnce: 'sofort',
      never: 'nie',
      noLimit: 'unbegrenzt',
      guarded: 'Besucher müssen eines eingeben',
      passedOn: 'werden weitergegeben',
      dropped: 'werden nicht weitergegeben',
      owner: 'Gehört',
      made: 'Angelegt',
    },
    who: {
      title: 'Wer kann ihn ändern?',
      both: (who, isOwn) => `Ändern und löschen: ${holders(who, isOwn)}.`,
      change: (who, isOwn) => `Ändern: ${holders(who, isOwn)}.`,
      delete: (who, isOwn) => `Löschen: ${holders(who, isOwn)}.`,
      others: 'Sonst niemand.',
    },
    edit: {
      edit: 'Bearbeiten',
      title: 'Den Link bearbeiten',
      saved: 'Gespeichert.',
      conflict: 'Jemand anderes hat diesen Link geändert, während Sie getippt haben',
      setting: 'Einstellung',
      theirs: 'Von anderen gespeichert',
      mine: 'Von Ihnen getippt',
      untouched: 'wie es war',
      passwordTyped: 'geändert',
      given: 'Der Link gehört jetzt jemand anderem.',
      lost:
        'Vielleicht hat jemand den Link weitergegeben, umbenannt oder gelöscht. Was Sie getippt haben, bleibt hier ' +
        'stehen: Sie können es kopieren.',
      overwrite:
        'Im Formular steht der andere Stand, darüber das, was Sie getippt haben. Speichern Sie noch einmal, wenn das ' +
        'so stimmt.',
    },
    transfer: {
      open: 'Weitergeben',
      title: (code) => `${code} weitergeben`,
      label: 'Wer bekommt ihn',
      hint: 'E-Mail-Adresse oder Nummer. Aufrufe, Schlagwörter und Verlauf bleiben beim Link.',
      unknown: 'Niemand hier hat diese Adresse.',
      give: 'Weitergeben',
      given: (code) => `${code} gehört jetzt jemand anderem.`,
    },
    qr: {
      title: 'QR-Code',
      picture: (url) => `QR-Code von ${url}`,
      hint: 'Er enthält nur die kurze Adresse und bleibt richtig, wenn sich das Ziel ändert.',
      download: (format) => `Als ${format} herunterladen`,
      look: 'Größe, Stufe, Farben',
      size: 'Größe in Pixeln',
      level: 'Stufe',
      levels: {
        L: 'L, 7 % dürfen verdeckt sein',
        M: 'M, 15 % dürfen verdeckt sein',
        Q: 'Q, 25 % dürfen verdeckt sein',
        H: 'H, 30 % dürfen verdeckt sein',
      },
      dark: 'Dunkel',
      light: 'Hell',
    },
    history: {
      title: 'Verlauf',
      source: 'aus dem Protokoll',
      more: 'Ältere',
      commandLine: 'die Kommandozeile',
      made: (who) => `Angelegt: ${who}`,
      restored: (who) => `Aus dem Papierkorb geholt: ${who}`,
      changed: (who) => `Geändert: ${who}`,
      deleted: (who) => `Gelöscht: ${who}`,
      renamed: (who, from, to) => `Von ${from} in ${to} umbenannt: ${who}`,
      given: (who, from, to) => `Von ${from} an ${to} weitergegeben: ${who}`,
      refused: (who, action, rule) => {
        const tried: Readonly<Record<string, string>> = {
          'link:update': 'Ändern oder Aufrufe sehen',
          'link:delete': 'Löschen',
          'link:transfer': 'Weitergeben',
        }
        return `Abgelehnt (${rule}), ${tried[action] ?? action}: ${who}`
      },
    },
  },
}
