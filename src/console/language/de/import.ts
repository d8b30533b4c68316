import { asSentence, number } from '../format'
import type { Texts } from '../texts'
import { translated, type Words } from './translated'

const links = (count: number): string => `${number(count)} ${count === 1 ? 'Link' : 'Links'}`
const are = (count: number): string => `${number(count)} ${count === 1 ? 'ist' : 'sind'}`

/** What the reader of files says, in German; it knows only English. */
const READER_WORDS: Words = [
  [/^it is empty$/, 'sie ist leer'],
  [/^the browser cannot open it$/, 'der Browser kann sie nicht öffnen'],
  [/^it has no records$/, 'sie enthält keine Einträge'],
  [/^it is not UTF-8 text: .*/, 'sie ist kein Text in UTF-8: Speichern Sie sie als „CSV UTF-8“'],
  [/^a character is not UTF-8: .*/, 'ein Zeichen ist nicht UTF-8: Speichern Sie die Datei als „CSV UTF-8“'],
  [/^it is neither one JSON document .*/, 'sie ist weder ein JSON-Dokument noch eines in jeder Zeile'],
  [/^two of its columns are called (.*)$/, 'zwei ihrer Spalten heißen $1'],
  [/^from line (\d+) .*: a quote is not closed$/, 'ab Zeile $1 ist ein Anführungszeichen nicht geschlossen'],
  [
    /^from line (\d+) .*: a record is longer than .*/,
    'ab Zeile $1 ist ein Eintrag zu lang oder ein Anführungszeichen nicht geschlossen',
  ],
  [/^from line (\d+) on it cannot be read: .*/s, 'ab Zeile $1 ist sie kein CSV'],
  [
    /^has (\d+) cells?, and the first line names (\d+) columns?$/,
    'die Zahl der Zellen ($1) ist nicht die der Spalten ($2)',
  ],
  [/^is not JSON, or nests too deep$/, 'ist kein JSON oder zu tief verschachtelt'],
  [/^is not a JSON object$/, 'ist kein JSON-Objekt'],
  [/^was deleted at Bitly$/, 'wurde bei Bitly gelöscht'],
  [/^(\w+) holds a character that cannot be stored$/, '$1 enthält ein Zeichen, das sich nicht speichern lässt'],
  [/\blink (?=\d+$)/, 'Link '],
]
const inGerman = (words: string): string => translated(READER_WORDS, words)

const rowAt = (place: string): string => inGerman(place).replace(/^\d/, 'Zeile $&')

export const imports: Texts['imports'] = {
  lead: 'Bringen Sie Links mit. Jede Zeile wird erst geprüft; angelegt wird nur auf Ihr Wort, und nichts zweimal.',
  drop: 'Datei hierher ziehen oder auswählen',
  dropHint: 'CSV oder JSON in UTF-8, von Linkgate, Bitly, Shlink, Kutt, YOURLS, oder eine eigene Tabelle.',
  choose: 'Datei auswählen',
  another: 'Andere Datei auswählen',
  reading: 'Die Datei wird gelesen …',
  records: (count) => (count === 1 ? '1 Zeile' : `${number(count)} Zeilen`),
  unreadable: (name, why) => `${name} lässt sich nicht lesen: ${inGerman(why)}.`,
  tooLarge: (name, mib) =>
    `${name} ist größer als ${number(mib)} MiB. Auf dem Rechner des Dienstes nimmt „linkgate import“ jede Größe.`,
  readInPart: (why) => `Nur ein Teil der Datei war lesbar: ${inGerman(why)}.`,
  format: 'Woher sie ist',
  formats: {
    csv: 'Linkgate oder eine eigene Tabelle',
    bitly: 'Bitly',
    shlink: 'Shlink',
    kutt: 'Kutt',
    yourls: 'YOURLS',
  },
  columns: 'Spalten',
  columnsHint: 'Welche Spalte der Datei welches Feld eines Links ist.',
  missing: (field) =>
    `Keine Spalte der Datei ist „${field}“. Wählen Sie sie unten aus, dann werden die Zeilen geprüft.`,
  ignored: (columns) => `Weggelassen: ${columns.join(', ')}`,
  asFormat: (format) => `wie bei ${format}`,
  leftOut: 'keine',
  yours: 'Die Links gehören dann Ihnen und sind von heute. Nur „linkgate import“ behält Daten und Besitzer.',
  rows: 'Zeilen',
  row: 'Zeile',
  outcome: 'Was daraus wird',
  anyCode: 'irgendein Kürzel',
  all: 'alle',
  states: {
    open: 'noch nicht geprüft',
    new: 'neu',
    made: 'angelegt',
    there: 'schon da',
    conflict: 'Konflikt',
    refused: 'abgelehnt',
  },
  place: inGerman,
  sameAs: (place) => `wie ${rowAt(place)}`,
  why: (why) => {
    switch (why.is) {
      case 'text':
        return asSentence(inGerman(why.text))
      case 'no target':
        return 'Es fehlt die Adresse, zu der er führt.'
      case 'no password':
        return 'Er hatte ein Passwort, das nicht in der Datei steht. Die Spalte „password“ kann ihm ein neues geben.'
      case 'too long':
        return 'Er ist zu lang.'
      case 'other target':
        return 'Das Kürzel hat schon ein Link, der woandershin führt.'
      case 'not yours':
        return 'Das Kürzel hat schon ein Link von jemand anderem.'
      case 'line':
        return asSentence(`${rowAt(why.place)} hat dieses Kürzel und führt woandershin`)
    }
  },
  checking: (done, all) => `Jede Zeile wird geprüft: ${number(done)} von ${number(all)}`,
  checked: (fresh, there, not) =>
    [
      `${links(fresh)} ${fresh === 1 ? 'lässt' : 'lassen'} sich anlegen.`,
      there > 0 ? `${are(there)} schon da.` : '',
      not > 0 ? `${number(not)} ${not === 1 ? 'geht' : 'gehen'} nicht.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  importing: (done, all) => `Links werden angelegt: ${number(done)} von ${number(all)}`,
  import: (count) => `${links(count)} importieren`,
  noneNew: 'aus keiner Zeile wird ein Link',
  stopped: (left) => `Angehalten: ${links(left)} ${left === 1 ? 'ist' : 'sind'} noch übrig.`,
  unfinished: {
    ask: 'Gehen, während Links angelegt werden?',
    lead: 'Der Import hält dann an. Was angelegt ist, bleibt; ein zweiter Import der Datei legt den Rest an.',
    discard: 'Import anhalten',
    stay: 'Hier bleiben',
  },
  goOn: 'Weiter',
  checkRest: 'Den Rest prüfen',
  waits: (seconds) => `Zu viele Anfragen auf einmal. In ${number(Math.ceil(seconds))} s geht es von selbst weiter.`,
  done: (made, there, not) =>
    [
      made === 0 ? 'Es war nichts anzulegen.' : `${links(made)} angelegt.`,
      there > 0 ? `${are(there)} schon da.` : '',
      not > 0 ? `${number(not)} ${not === 1 ? 'ging' : 'gingen'} nicht.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  download: 'Abgelehntes herunterladen',
  toLinks: 'Zu Ihren Links',
}
