import type { Texts } from '../texts'

export const model: Texts['model'] = {
  lead: 'Die Sprache der Regeln. Was die Zeilen bedeuten, steht hier und sonst nirgends. Nur der Betreiber ändert sie.',
  text: 'model.conf, Stück für Stück',
  unknown: 'Eine Festlegung dieser Installation.',
  definitions: {
    r:
      'Die Frage nach einem Datensatz hat drei Teile: wer fragt (sub: Rolle und Nummer), was ' +
      'gewünscht ist (act) und der Datensatz (obj: sein Besitzer).',
    r2: 'Die Frage davor hat zwei: die Rolle dessen, der aufruft, und die Aktion des Endpunkts.',
    p:
      'Eine Objektzeile hat diese Felder in dieser Reihenfolge. Das erste, die Priorität, ist ihr ' +
      'Platz in der Liste; eft ist allow oder deny.',
    p2:
      'Eine Endpunktzeile: diese Rolle darf den Endpunkt überhaupt aufrufen. Keine Zeile verbietet; ' +
      'was keine erlaubt, ist verboten.',
    g: 'Eine Erbzeile: für die erste Rolle gilt jede Zeile der zweiten, auch über mehrere Stufen.',
    e:
      'Von den Objektzeilen, die passen, antwortet die mit der kleinsten Priorität. Passt keine, ist ' +
      'die Antwort: verboten.',
    e2: 'Eine passende Endpunktzeile genügt.',
    m: 'Wann eine Objektzeile passt: Rolle, Aktion und Reichweite passen. Wer keine Nummer hat, dem gehört nichts.',
    m2: 'Wann eine Endpunktzeile passt: Rolle und Aktion passen. Von einem Datensatz weiß sie nichts.',
  },
  walk: 'Eine Frage, durch die Bedingungen geführt',
  walkLead:
    'Die Zeilen werden der Reihe nach versucht. Aufgeklappt zeigt jede, was aus jedem Teil der Bedingung wurde.',
  walkIt: 'Durchgehen',
  first: 'Zuerst m2: Darf die Rolle überhaupt fragen?',
  second: 'Dann m: Was sagt die erste Zeile, die passt?',
  before: (count) => (count === '1' ? '1 Zeile davor passt nicht.' : `${count} Zeilen davor passen nicht.`),
  after: (count) =>
    count === '1' ? '1 Zeile danach wird nicht erreicht.' : `${count} Zeilen danach werden nicht erreicht.`,
  matches: 'passt',
  noMatch: 'passt nicht',
  values: { true: 'wahr', false: 'falsch', unseen: 'nicht angesehen' },
  notRead:
    'Diese Bedingung ist so geschrieben, dass sie sich hier nicht vorführen lässt. Entschieden wird trotzdem nach ihr.',
}
