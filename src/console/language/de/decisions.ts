import { moment, number } from '../format'
import type { Texts } from '../texts'

const VALUES: Readonly<Record<string, string>> = {
  user: 'wer gefragt hat, eine Adresse oder eine Nummer',
  action: 'was gefragt wurde, etwa link:delete',
  link: 'ein Kürzel oder eine Nummer',
  effect: 'allow oder deny',
  since: 'eine Spanne wie 7d, 24h oder 90m, einen Tag oder eine Zeit wie 2026-11-22T16:20',
  until: 'einen Tag oder eine Zeit wie 2026-11-22T16:20',
  rule: 'eine Regel oder den Code einer Ablehnung',
  layer: 'gateway, endpoint, object oder data',
  status: 'etwa 403, oder 4xx',
  revision: 'eine Nummer',
  request: 'die Nummer einer Anfrage',
  kind: 'decision, link, user, policy oder audit',
}

const WHATS: Readonly<Record<string, string>> = {
  'user added': 'wurde angelegt',
  'user changed': 'wurde geändert',
  'user deleted': 'wurde gelöscht',
  'user signed in': 'hat sich angemeldet',
  'user signed out': 'hat sich abgemeldet',
  'user sign-in refused': 'Anmeldung abgelehnt',
  'user refresh token reused': 'Anmeldung beendet: Jemand hat eine Kopie ihres Tokens benutzt',
  'user token signed': 'Token ausgestellt',
  'user personal token added': 'persönliches Token angelegt',
  'user password link made': 'Link für ein Passwort angelegt',
  'user password link used': 'Link für ein Passwort benutzt',
  'user address link made': 'Link für eine Adresse angelegt',
  'user address link used': 'Link für eine Adresse benutzt',
  'user invitation withdrawn': 'Einladung zurückgezogen',
  'user subject linked': 'Konto einer Anmeldestelle verbunden',
  'user subject unlinked': 'Konto einer Anmeldestelle getrennt',
  'link added': 'Link wurde angelegt',
  'link changed': 'Link wurde geändert',
  'link deleted': 'Link wurde gelöscht',
  'policy proposed': 'Änderung der Regeln vorgeschlagen',
  'policy approved': 'Vorschlag genehmigt',
  'policy declined': 'Vorschlag abgelehnt',
  'policy withdrawn': 'Vorschlag zurückgezogen',
  'audit expired': 'Monat des Protokolls entfernt',
}

const FIELDS: Readonly<Record<string, string>> = {
  by: 'Durch',
  role: 'Rolle',
  suspended: 'Gesperrt',
  email: 'Adresse',
  name: 'Name',
  password: 'Passwort',
  owner: 'Besitzer',
  code: 'Kürzel',
  reason: 'Grund',
  actor: 'Durch',
  actor_id: 'Durch Nummer',
  added: 'Zeilen hinzugefügt',
  removed: 'Zeilen entfernt',
  comments: 'Kommentare geändert',
  decisions_changed: 'Entscheidungen geändert',
  proposal: 'Vorschlag',
  scopes: 'Umfang',
  expires_at: 'Endet',
  token_id: 'Token',
  sign_in: 'Anmeldung',
  issuer: 'Anmeldestelle',
  invitation: 'Einladung',
  entries: 'Einträge',
  with: 'Mit',
  restored: 'Aus dem Papierkorb',
  revision: 'Fassung',
  approved_by: 'Genehmigt durch Nummer',
  approver: 'Genehmigt durch',
}

const LAYERS: Readonly<Record<string, string>> = {
  gateway: 'Eingang',
  endpoint: 'Endpunkt',
  object: 'Objekt',
  data: 'Daten',
}

export const notLive = ({ since, againIn }: { readonly since: Date; readonly againIn: number | null }): string =>
  `Nicht live seit ${moment(since)}${againIn === null ? '' : `, wieder in ${number(againIn)} s`}`

export const decisions: Texts['decisions'] = {
  lead: 'Jede Frage an die Regeln und jede Änderung, der Reihe nach. Niemand kann eine Zeile unbemerkt ändern.',
  search: 'Im Protokoll suchen',
  placeholder: 'user:eve@example.com action:link:delete effect:deny since:7d',
  suggestions: 'Was gemeint sein kann',
  suggestion: (name) => (name === null ? 'suchen nach' : `${name} ist`),
  change: (term) => `${term} ändern`,
  remove: (term) => `${term} wegnehmen`,
  faults: (fault, term, name) => {
    if (fault === 'word')
      return `${term} sagt nicht, was es ist: davor gehört user:, link:, rule: oder ein anderes Wort mit Doppelpunkt.`
    if (fault === 'unknown') return `${name}: ist kein Wort, nach dem sich im Protokoll suchen lässt.`
    if (fault === 'twice') return `${name}: steht zweimal da. Eine Suche nimmt es einmal.`
    if (fault === 'backwards') return `${term}: Dieses Ende liegt nicht nach dem Anfang.`
    return `${term}: ${fault} nimmt ${VALUES[fault] ?? 'etwas anderes'}.`
  },
  faulty: 'Ein Teil der Suche ist nicht zu verstehen',
  faultyHint:
    'Es wird nichts gezeigt, damit nichts für eine Antwort gehalten wird. Ändern Sie den Teil, oder nehmen ' +
    'Sie ihn weg.',
  passedAll: 'durch alle vier Schichten',
  stoppedAt: 'an der dritten angehalten',
  tail: ({ lost, isPaused, fresh }) => {
    if (lost !== null) return notLive(lost)
    const word = isPaused ? 'Angehalten' : 'Live'
    return fresh === 0 ? word : `${word}, ${number(fresh)} neu`
  },
  pause: 'Anhalten',
  goOn: 'Weiter',
  hasEnd: 'die Suche hat ein Ende',
  showNew: (count) => (count === 1 ? '1 neue Zeile zeigen' : `${number(count)} neue Zeilen zeigen`),
  exportHint: 'Alles, wonach gesucht wird, das Älteste zuerst. Ohne Prüfsummen: die hat der Nachweis.',
  columns: {
    time: 'Zeit',
    who: 'Wer',
    action: 'Aktion',
    record: 'Link oder Datensatz',
    answer: 'Antwort',
    rule: 'Regel',
    layer: 'Schicht',
    status: 'Status',
  },
  today: (day) => `Heute, ${day}`,
  layer: (stop) => (stop === null ? 'alle vier' : (LAYERS[stop] ?? stop)),
  linkNumber: (id) => `Link ${id}`,
  number: (id) => `Nummer ${id}`,
  alike: (count, oldest) => `${count} weitere wie diese, bis ${oldest}`,
  tookForce: (revision) => `Regeln: Fassung ${revision} trat in Kraft.`,
  quoted: (text) => `„${text}“`,
  decisionsChanged: (count) => `${number(count)} ${count === 1 ? 'Entscheidung' : 'Entscheidungen'} geändert.`,
  beforeAny: 'keine: abgelehnt, bevor eine gefragt wurde',
  whatChanged: 'Was sich änderte',
  whats: (kind, what) => WHATS[`${kind} ${what}`],
  field: (name) => (Object.hasOwn(FIELDS, name) ? (FIELDS[name] ?? name) : name),
  fromTo: (from, to) => `${from} → ${to}`,
  only: (name) => `Nur ${name}`,
  underRevision: (revision) => `Unter Fassung ${revision}`,
  record: 'Datensatz',
  token: 'Token',
  network: 'Netz',
  entry: 'Eintrag',
  empty: 'Noch ist nichts aufgezeichnet.',
  nothing: (query) => `Nichts passt zu ${query}.`,
  clear: 'Suche leeren',
  shown: (shown, all, isMore) =>
    all === null ? number(shown) : `${number(shown)} von ${isMore ? 'mehr als ' : ''}${all}`,
}
