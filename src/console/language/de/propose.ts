import { dateAndTime, hour, listed, number } from '../format'
import type { Texts } from '../texts'
import { translated, type Words } from './translated'

const decisions = (count: number): string => `${number(count)} ${count === 1 ? 'Entscheidung' : 'Entscheidungen'}`
const rows = (count: number): string => `${number(count)} ${count === 1 ? 'Zeile' : 'Zeilen'}`

const SPANS = { '1h': 'In der letzten Stunde', '24h': 'In den letzten 24 Stunden', '7d': 'In den letzten 7 Tagen' }

const FAULTS = {
  rule: 'Großbuchstaben, Ziffern und -, höchstens 16, zuerst ein Buchstabe',
  role: 'Kleinbuchstaben, Ziffern, _ und -, zuerst ein Buchstabe',
  action: 'was und wie, wie in link:delete, oder *',
}

/** What the service says of a row, in German; it knows only English. */
const ROW_WORDS: Words = [
  [
    /^(\d+) is the priority of another row; .*/,
    'eine andere Zeile hat schon $1, und jede Priorität gibt es nur einmal',
  ],
  [/^must be an integer from 1 to 999,999,999$/, 'eine ganze Zahl von 1 bis 999.999.999'],
  [/^must be a label: .*/, FAULTS.rule],
  [/^must be a role: \S+$/, FAULTS.role],
  [
    /^must be a role: .*, and not a name of the engine .*/,
    'eine Rolle, die jemand haben kann: nicht anonymous, anyone, user',
  ],
  [/^must be a role: .*, or user$/, 'eine Rolle, die jemand haben kann, oder user'],
  [/^must be another role than the one that inherits$/, 'eine andere Rolle als die, die erbt'],
  [/^closes a loop of roles: (.*)/, 'die Rollen erben im Kreis: $1'],
  [/^must be <resource>:<verb>, .*/, FAULTS.action],
  [/^must have at most 500 characters$/, 'höchstens 500 Zeichen'],
  [/^must hold no control characters .*/, 'keine Steuerzeichen und keine halben Zeichen'],
  [/^the row no longer exists$/, 'die Zeile gibt es nicht mehr'],
  [/^the comment of the row has changed$/, 'der Kommentar der Zeile ist inzwischen ein anderer'],
  [/^is not a row of the policy$/, 'diese Zeile gibt es in den Regeln nicht'],
]

export const propose: Texts['propose'] = {
  heading: 'Eine Änderung vorschlagen',
  against: (revision, needsApproval) =>
    `Gegen Fassung ${number(revision)}, die gilt. ` +
    (needsApproval
      ? 'Nichts ändert sich, bevor ein anderer Admin es genehmigt.'
      : 'Nichts ändert sich, bevor Sie sie in Kraft setzen.'),
  kept: (at) => `Der Entwurf ist auf diesem Gerät gesichert, ${hour(at)}.`,
  discard: 'Verwerfen',
  discardAsk: 'Diesen Entwurf verwerfen?',
  discardLead: 'Was Sie hier geändert haben, ist dann vergessen. An dem, was gilt, ändert sich nichts.',
  replaceAsk: 'Ihren eigenen Entwurf ersetzen?',
  replaceLead: 'Hier liegt schon ein Entwurf von Ihnen. Wenn Sie ihn ersetzen, ist er vergessen.',
  replace: 'Ersetzen',
  keepMine: 'Meinen behalten',
  saveFile: 'Als Datei sichern',
  openFile: 'Datei öffnen',
  notADraft: 'Diese Datei ist kein Entwurf einer Änderung.',
  send: 'Link dazu kopieren',
  sent: 'Der Link ist kopiert. Er enthält den Entwurf selbst; wer ihn öffnet, meldet sich an und sieht ihn hier.',
  tooLongToSend: 'Der Entwurf ist zu lang für einen Link: sichern Sie ihn als Datei',
  opened: (revision) => `Dieser Entwurf kam mit dem Link. Er wurde auf Fassung ${number(revision)} geschrieben.`,
  rows: 'Zeilen',
  first: 'Die erste, die passt, entscheidet.',
  kinds: { p: 'Objektzeilen', p2: 'Endpunktzeilen', g: 'Vererbung' },
  add: 'Zeile hinzufügen',
  rowStates: { new: 'neu', changed: 'geändert', removed: 'entfernt' },
  edit: (row) => `Bearbeiten: ${row}`,
  done: 'Fertig',
  duplicate: 'Duplizieren',
  noRoom: 'hinter dieser Zeile ist keine Priorität frei',
  up: 'Nach oben',
  down: 'Nach unten',
  remove: 'Entfernen',
  undo: 'Rückgängig',
  keys: 'Enter bearbeitet, Alt mit einem Pfeil verschiebt, d dupliziert, Entf entfernt.',
  folded: (count) => `Noch ${rows(count)}, unverändert`,
  fields: {
    priority: 'Priorität',
    rule: 'Regel',
    role: 'Rolle',
    action: 'Aktion',
    reach: 'Reichweite',
    effect: 'Wirkung',
    inherits: 'Hat jede Zeile von',
    comment: 'Kommentar, bei der Zeile aufbewahrt',
  },
  anotherRole: 'eine andere Rolle …',
  anotherAction: 'eine andere Aktion …',
  faults: FAULTS,
  fault: (message) => translated(ROW_WORDS, message),
  neverReached: (by) =>
    by.length === 0 ? 'Nie erreicht: niemand kann danach fragen' : `Nie erreicht: ${rowsNamed(by)} vorher`,
  overridden: (by) => `Zum Teil erreicht: ${rowsNamed(by)} einen Teil davon vorher, und anders`,
  unknownRole: (role) => `Niemand hat die Rolle ${role}`,
  loneRole: (role, nearest) =>
    nearest === null
      ? `Die Rolle ${role} kommt sonst nicht vor`
      : `Die Rolle ${role} kommt sonst nicht vor: ist ${nearest} gemeint?`,
  unknownAction: (action) => `Keine Route dieses Dienstes hat die Aktion ${action}`,
  refusedBy: (invariant) => `Abgelehnt: ${invariant}`,
  invariant: (name, file) =>
    `Das sagt die Invariante ${name}. Sie steht in ${file}, wird wie Code geprüft und kann hier nicht geändert ` +
    'werden: das tut, wer den Dienst betreibt.',
  wouldBe: (role, doing, effect) => `${role} dürfte${effect === 'allow' ? '' : ' nicht'}: ${doing}.`,
  otherAnswer: 'Eine Frage bekommt eine andere Antwort',
  expected: (role, doing, expected, from) =>
    `${role} darf${expected === 'allow' ? '' : ' nicht'}: ${doing}. So steht es in ${from}. Mit dieser Zeile ist es ` +
    'umgekehrt. Fragen warnen; nur Invarianten lehnen ab.',
  changes: 'Was sich ändert',
  changed: decisions,
  turned: (toDeny, toAllow, byRule) =>
    listed(
      [
        toAllow > 0 ? `${number(toAllow)} von verboten zu erlaubt` : '',
        toDeny > 0 ? `${number(toDeny)} von erlaubt zu verboten` : '',
        byRule > 0 ? `${number(byRule)} durch eine andere Regel` : '',
      ].filter(Boolean),
    ),
  allRoles: 'Alle',
  onlyChanged: 'Geänderte',
  noChange: 'Keine Entscheidung ändert sich.',
  replay: 'Was sie bewirkt hätte',
  windows: { '1h': '1 Stunde', '24h': '24 Stunden', '7d': '7 Tage' },
  windowLabel: 'Wie weit zurück',
  headline: (window, changed, considered) =>
    considered === 0
      ? `${SPANS[window]} wurde keine Entscheidung aufgezeichnet.`
      : `${SPANS[window]} ${changed === 1 ? 'wäre' : 'wären'} ${number(changed)} von ${decisions(considered)} anders ` +
        'ausgefallen.',
  share: (changed, considered) => `${number(changed)} von ${number(considered)} anders`,
  counted: (done, of) => `Tag ${number(done)} von ${number(of)} ist gezählt.`,
  counting: 'Wird gezählt …',
  goOn: 'Noch einmal zählen',
  stopped: 'Angehalten: was gezählt ist, steht hier.',
  tooMany: 'In dieser Zeit wurden zu viele Entscheidungen aufgezeichnet, um sie auf einmal zu zählen.',
  shorter: (span) => `Stattdessen ${span} zählen`,
  onlyByCommand: 'Auf der Kommandozeile geht es: linkgate policy diff --replay.',
  whose: (names, isEverybody) => `Betroffen: ${listed(isEverybody ? names : [...names, 'andere'])}.`,
  byRule: (count) =>
    `${decisions(count)} mehr ${count === 1 ? 'bekäme' : 'bekämen'} dieselbe Antwort durch eine andere Regel.`,
  undetermined: (count) => `Über ${decisions(count)} sagt das Protokoll nicht genug.`,
  exact:
    'Jede aufgezeichnete Entscheidung wurde noch einmal getroffen, keine Stichprobe, mit der Rolle von damals. ' +
    'Öffentliche Lesezugriffe werden nicht aufgezeichnet.',
  nothingToReplay: 'Ändern Sie eine Zeile, und wirkliche Entscheidungen von früher werden hier noch einmal getroffen.',
  when: 'Wann',
  asked: 'Wollte',
  recorded: 'War',
  would: 'Wäre',
  applyTitle: 'In Kraft setzen',
  proposeTitle: 'Vorschlagen',
  reason: 'Grund, für das Protokoll',
  apply: (revision) => `Als Fassung ${number(revision)} in Kraft setzen`,
  propose: 'Diese Änderung vorschlagen',
  applied: (revision) => `Fassung ${number(revision)} gilt. Unter „Fassungen“ lässt sie sich zurücknehmen.`,
  toRevision: 'Ansehen, was sie geändert hat',
  off: {
    nothing: 'noch ist nichts geändert',
    asking: 'die Änderung wird gerade geprüft',
    sending: 'die Änderung wird gerade gesendet',
    faults: (count) => `${number(count)} Fehler ${count === 1 ? 'steht' : 'stehen'} bei den Zeilen`,
    refused: (count) =>
      count === 1 ? 'Aus: 1 Invariante lehnt sie ab' : `Aus: ${number(count)} Invarianten lehnen sie ab`,
    beyond: 'Aus: sie gibt oder nimmt Rechte, die Sie selbst nicht haben',
    reason: 'nennen Sie den Grund, für das Protokoll',
    stale: 'jemand war schneller: sehen Sie zuerst beide Änderungen an',
  },
  bindsMaker: 'Sie könnten diese Änderung nicht rückgängig machen.',
  bindsMakerHint: 'Ihre Rolle darf danach zu wenig dafür. Dann kann es nur, wer mehr darf, oder die Befehlszeile.',
  holds: (asked, unmet) =>
    `Jede Invariante hält, ${number(asked - unmet)} von ${number(asked)} ${asked === 1 ? 'Frage' : 'Fragen'} ` +
    `${asked - unmet === 1 ? 'wird' : 'werden'} wie erwartet beantwortet.`,
  proposed: 'Ihre Änderung ist vorgeschlagen. Sie gilt, sobald ein anderer Admin sie genehmigt.',
  toProposal: 'Den Vorschlag ansehen',
  stale: (revision, who) =>
    (who === null
      ? `Fassung ${number(revision)} trat in Kraft, während Sie änderten.`
      : `${who} hat Fassung ${number(revision)} in Kraft gesetzt, während Sie änderten.`) +
    ' Ihr Entwurf ist gesichert.',
  staleWhy: (reason, at) => `${dateAndTime(at)}: „${reason}“`,
  seeBoth: 'Beide ansehen',
  both: 'Beide Änderungen',
  theirs: 'Die andere Änderung',
  mine: 'Ihre Änderung',
  carry: 'Meine Änderung auf den neuen Zeilen machen',
  lost: (count) => `${rows(count)} Ihrer Änderung gibt es nicht mehr:`,
}

const rowsNamed = (by: readonly number[]): string => {
  const names = listed(by.slice(0, 5).map(String))
  return by.length === 1 ? `Zeile ${names} entscheidet` : `die Zeilen ${names} entscheiden`
}
