import { number } from '../format'
import type { Texts } from '../texts'
import { detailOf } from './refusals'

const entries = (count: number): string => `${number(count)} ${count === 1 ? 'Eintrag' : 'Einträge'}`
const inChains = (count: number): string => `${number(count)} ${count === 1 ? 'Kette' : 'Ketten'}`
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const proof: Texts['proof'] = {
  lead:
    'Das Protokoll der Entscheidungen ist verkettet und unterschrieben. Hier steht, wie weit das ' +
    'reicht; Sie können es prüfen lassen und einen Teil als Nachweis mitnehmen.',
  lookAgain: 'Neu laden',
  publicKey: 'Öffentlicher Schlüssel',
  proved: 'Was bewiesen ist',
  notProved: 'Was nicht',
  provedUpTo: (count, when) =>
    `${entries(count)} ${count === 1 ? 'ist' : 'sind'} unterschrieben, zuletzt am ${when}: wer die Datenbank hat und ` +
    `nicht den Schlüssel, ändert daran nichts unbemerkt.`,
  nothingProved: 'Noch ist kein Prüfpunkt gültig, also ist nichts bewiesen.',
  chained: (count, chains) => `${entries(count)} in ${inChains(chains)}: jeder enthält die Prüfsumme des vorigen.`,
  retired: (count, months) =>
    `${entries(count)} aus ${number(months)} ${months === 1 ? 'Monat' : 'Monaten'} ` +
    `${count === 1 ? 'wurde' : 'wurden'} entfernt, mit unterschriebener Erklärung.`,
  signedWith: 'Unterschrieben mit dem Schlüssel',
  notYet: (count) =>
    count === 0
      ? 'Was vor dem nächsten Prüfpunkt dazukommt, alle zehn Minuten: bis dahin könnte es ändern, wer die ' +
        'Datenbank hat.'
      : `${number(count)} ${count === 1 ? 'Eintrag ist' : 'Einträge sind'} neuer als der letzte Prüfpunkt. ` +
        `Bis zum nächsten, alle zehn Minuten, könnte das ändern, wer die Datenbank hat.`,
  withTheKey:
    'Wer die Datenbank und den Schlüssel hat, kann alles neu schreiben. Der Schlüssel gehört dorthin, wo ' +
    'ihn die Verwalter der Datenbank nicht lesen.',
  removed:
    'Wer die letzten Prüfpunkte löscht, schiebt diese Grenze zurück. Jeder steht auch im Protokoll des ' +
    'Dienstes: das gehört an einen anderen Ort.',
  verification: 'Prüfung',
  verify: 'Das ganze Protokoll prüfen',
  verifyHint: 'Rechnet jede Prüfsumme nach, in allen Ketten, und vergleicht sie mit jedem Prüfpunkt.',
  beginning: 'Die Prüfung beginnt.',
  progress: (done, of) => `${done} von ${of} Einträgen geprüft.`,
  since: (when) => `Begonnen: ${when}.`,
  stopped: 'Sie haben angehalten',
  brokeOff: 'Sie brach ab',
  noVerdict: 'Es gibt kein Ergebnis, also ist nichts bekannt.',
  busy: 'Das Protokoll wird schon geprüft',
  busyHint: 'Jemand anderes hat damit begonnen. Versuchen Sie es danach noch einmal.',
  whole: 'Das Protokoll ist vollständig',
  notWhole: (found) => `Das Protokoll ist nicht vollständig: ${number(found)} Fehler`,
  walked: (count, chains, retired) =>
    `${entries(count)} in ${inChains(chains)} geprüft${retired === 0 ? '' : `, ${number(retired)} entfernt`}.`,
  signedUpTo: (when) => `Der letzte gültige Prüfpunkt ist vom ${when}.`,
  noCheckpoint: 'Noch ist kein Prüfpunkt gültig.',
  fault: ({ kind, ...fault }) => {
    const [chain, seq, last, id] = [fault['writer'], fault['seq'], fault['last'], fault['id']].map(text)
    if (kind === 'altered') return `Eintrag ${seq} der Kette ${chain} wurde geändert (Datensatz ${id}).`
    if (kind === 'inserted') return `Eintrag ${seq} der Kette ${chain} wurde eingefügt (Datensatz ${id}).`
    if (kind === 'missing')
      return seq === last || fault['last'] === undefined
        ? `Eintrag ${seq} der Kette ${chain} fehlt.`
        : `Einträge ${seq} bis ${last} der Kette ${chain} fehlen.`
    if (kind === 'checkpoint') return `Prüfpunkt ${id} ${detailOf(text(fault['why']))}.`
    return `${kind} ${JSON.stringify(fault)}`
  },
  moreFaults: (count) => `Und ${count} weitere, die linkgate audit verify nennt.`,
  chains: 'Ketten',
  chainsHint: 'Eine für jede Transaktion, die je gleichzeitig schrieb, damit keine auf eine andere wartet.',
  chain: 'Kette',
  entries: 'Einträge',
  newest: 'Letzter Eintrag',
  checkpoints: 'Prüfpunkte',
  signed: 'Unterschrieben',
  key: 'Schlüssel',
  inUse: 'in Gebrauch',
  signature: 'Unterschrift',
  valid: 'gültig',
  notValid: 'nicht gültig',
  expiry: 'mit entfernten Monaten',
  newer: (count, when) => `Neuer als ${when}, verkettet und noch nicht unterschrieben: ${count}.`,
  evidence: 'Nachweis für einen Zeitraum',
  evidenceLead:
    'Eine unterschriebene Datei mit jedem Eintrag und seiner Prüfsumme. Sie lässt sich überall prüfen, ohne ' +
    'Datenbank und ohne Netz.',
  from: 'Von',
  fromHint: 'Ohne Angabe: vom Anfang des Protokolls an.',
  to: 'Bis',
  toHint: 'Ohne Angabe: bis jetzt.',
  make: 'Datei anlegen',
  making: 'Die Datei wird angelegt …',
  madeSoFar: (kilobytes) => `bisher ${kilobytes} kB`,
  saved: (name) => `${name} ist gespeichert.`,
  checkIt: 'Wer sie bekommt, prüft sie ohne diesen Dienst:',
  copyCommand: 'Den Befehl kopieren',
  withKey:
    'Die Datei des Schlüssels kommt oben aus „Öffentlicher Schlüssel“. Geben Sie sie auf einem anderen Weg ' +
    'weiter als den Nachweis.',
}
