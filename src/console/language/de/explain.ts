import { asSentence, capitalized } from '../format'
import type { Texts } from '../texts'
import { doing } from './policy-rows'
import { translated, type Words } from './translated'

const LAYER_NUMBERS = ['', 'ersten', 'zweiten', 'dritten', 'vierten']
/** Why a request was refused that no row decided, as the service says it. */
const WHYS: Words = [
  [
    /^no token was sent; it needs one with the scope of its operation$/,
    'Es kam kein Token; nötig ist eines mit dem Umfang der Operation',
  ],
  [/^no token was sent; it needs one with the scope (\S+)$/, 'Es kam kein Token; nötig ist eines mit dem Umfang $1'],
  [
    /^the token is not valid: .*$/,
    'Das Token ist nicht gültig: abgelaufen, widerrufen oder von einem anderen Aussteller, oder sein Besitzer ist ' +
      'gesperrt oder gelöscht',
  ],
  [/^the token lacks the scope (\S+)$/, 'Dem Token fehlt der Umfang $1'],
  [/^refused before the policy was evaluated$/, 'Abgelehnt, bevor die Regeln gefragt wurden'],
  [/^the rows allow it; refused because /, 'Die Zeilen erlauben es. Abgelehnt, weil '],
  [
    /the request needed a right beyond these rows, which its answer named$/,
    'sie mehr Rechte brauchte, als diese Zeilen geben; die Antwort nannte das fehlende',
  ],
  [/the edit goes beyond what the caller may do$/, 'die Änderung Rechte gibt oder nimmt, die ihr Urheber nicht hat'],
  [/nobody decides about their own proposal$/, 'niemand über den eigenen Vorschlag entscheidet'],
  [/somebody else made the proposal$/, 'der Vorschlag von jemand anderem ist'],
  [/the password of the link was wrong$/, 'das Passwort des Links falsch war'],
]

/** Who does something: one's own account is „Sie“, also with a role behind it, and takes the plural. */
const subject = (who: string, one: string, many: string): string =>
  `${capitalized(who)} ${/^Sie( \(|$)/.test(who) ? many : one}`

export const explain: Texts['explain'] = {
  lead: 'Wer was mit welchem Link darf, und warum. Fragen ändert nichts.',
  tabs: 'Was erklärt wird',
  ask: 'Eine Frage',
  byRequest: 'Eine Anfrage nach ihrer Nummer',
  model: 'model.conf lesen',
  copy: 'Link dazu kopieren',
  copyLabel: 'Den Link zu dieser Frage kopieren',
  about: 'Um wen es geht',
  abouts: { person: 'Eine Person und ein Link', role: 'Eine Rolle' },
  personOff: (why) => `Über Personen und ihre Links: ${why}.`,
  whoHint: 'Eine Adresse oder eine Nummer.',
  onlyId: 'Eine Nummer: Sie dürfen Personen nicht suchen.',
  nobody: 'Niemand hat diese Adresse.',
  whoIsIt: 'Um wen geht es?',
  whichRole: 'Um welche Rolle geht es?',
  wants: 'will',
  link: 'welcher Link',
  linkHint: 'Sein Kürzel. Ohne Kürzel: irgendein fremder Link.',
  whose: 'wessen Datensatz',
  relations: { own: 'der eigene', other: 'ein fremder' },
  explain: 'Erklären',
  layers: { gateway: 'Eingang', endpoint: 'Endpunkt', object: 'Objekt', data: 'Daten' },
  asks: {
    gateway: 'Häufigkeit, Token, Umfang',
    endpoint: 'Darf die Rolle überhaupt fragen?',
    object: 'Was sagen die Zeilen zu diesem Datensatz?',
    data: 'PostgreSQL, Zeile für Zeile',
  },
  states: { passes: 'lässt durch', stops: 'hält an', unreached: 'nicht erreicht', given: 'hier nicht gefragt' },
  verdicts: { allow: 'Erlaubt', deny: 'Verboten' },
  atLayer: (layer) => `an der ${LAYER_NUMBERS[layer] ?? 'letzten'} von vier Schichten`,
  may: (who) => `${subject(who, 'darf', 'dürfen')} das.`,
  gets: (who, code, rule) => `${subject(who, 'bekäme', 'bekämen')} ${code}${rule === null ? '' : `, Regel ${rule}`}.`,
  suspended: (who) => `${subject(who, 'ist', 'sind')} gesperrt, also wird jedes Token abgelehnt.`,
  token: (action) => `Vorausgesetzt: ein gültiges Token mit dem Umfang ${action}, nicht zu häufig.`,
  letIn: (role) => `Die Rolle ${role} darf fragen, für irgendeinen Datensatz.`,
  record: (relation) =>
    relation === 'own'
      ? 'Es ist der eigene Datensatz.'
      : relation === 'other'
        ? 'Es ist ein fremder Datensatz.'
        : 'Wer nicht angemeldet ist, dem gehört nichts.',
  linkOf: (code, relation, owner) =>
    relation === 'own' ? `${code} ist der eigene Link.` : `${code} ist ein fremder Link (Besitzer: ${owner}).`,
  dataBody: 'Die Datenbank entscheidet noch einmal, in der Zeile selbst, für die Person hinter der Verbindung.',
  whoMay: (action) => `Wer darf: ${doing(action, false)}`,
  whoMayLink: (action, code) => `Wer darf ${action} bei ${code}`,
  owner: (name) => `${capitalized(name)} (Besitzer des Links)`,
  everyRole: (role) => `Alle mit der Rolle ${role}`,
  nobodyMay: 'Niemand darf es.',
  othersMayNot: 'Alle anderen dürfen es nicht.',
  forReal: 'Tatsächlich gefragt',
  recorded: (count) => (count === '0' ? 'Nichts im Protokoll.' : `Im Protokoll: ${count}. Zuletzt:`),
  requestId: 'Nummer der Anfrage',
  requestHint: 'Jede Antwort hat sie, in X-Request-ID und in dem, was sie über eine Ablehnung sagt.',
  notRecorded: 'Unter dieser Nummer ist nichts aufgezeichnet.',
  notRecordedHint:
    'Ablehnungen und Lesen stehen nach einer Sekunde da; öffentliches Lesen nur, wo es so eingestellt ist.',
  more: 'Unter dieser Nummer gibt es ältere Entscheidungen, die nicht gezeigt werden.',
  asked: (who, action, record) =>
    `${subject(who, 'wollte', 'wollten')} ${action}${record === null ? '' : ` bei ${record}`}.`,
  wouldSay: 'Die Zeilen würden sagen:',
  otherModel: 'Die Zeilen von damals würden heute anders antworten: model.conf hat sich seither geändert.',
  why: (why) => asSentence(translated(WHYS, why)),
  notSaid: 'Die Fassung von damals ist nicht mehr lesbar.',
}
