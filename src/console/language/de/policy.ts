import { listed, number } from '../format'
import type { Texts } from '../texts'
import { doing, everyOne, rowWords } from './policy-rows'

export const policy: Texts['policy'] = {
  row: rowWords,
  everyOne,
  doing,
  unreadable: 'eine Zeile, die diese Version nicht lesen kann',
  effects: { allow: 'erlaubt', deny: 'verboten' },
  yesOrNo: { allow: 'ja', deny: 'nein' },
  relations: { anonymous: 'ohne Konto', own: 'eigenes', other: 'fremdes' },
  any: 'alles',
  action: 'Aktion',
  role: 'Rolle',
  otherRole: 'jede andere Rolle',
  otherAction: 'jede andere Aktion',
  inherits: (roles) => `erbt von ${listed(roles)}`,
  atEndpoint: 'Endpunkt',
  endpointTurns: { allow: 'darf jetzt aufrufen', deny: 'darf nicht mehr aufrufen' },
  before: 'vorher:',
  after: 'nachher:',
  find: 'Rolle oder Aktion suchen',
  findRole: 'Rolle suchen',
  clearFind: 'Alle zeigen',
  nothing: (text) => `Keine Rolle und keine Aktion hat „${text.trim()}“ im Namen.`,
  pin: 'Rollen anheften',
  pinned: (pinned, all) =>
    pinned === 0 ? `Rollen: alle ${number(all)}` : `Rollen: ${number(pinned)} von ${number(all)} angeheftet`,
  pinHint: 'Angeheftete Rollen stehen vorn und bleiben bei jeder Suche stehen.',
  unpin: 'Keine anheften',
  decides: 'entscheidet:',
  letsIn: 'lässt die Rolle ein',
  noMatch: (why) => {
    if (why === null) return 'passt nicht'
    const role = /^it is for the role (.+)$/.exec(why)?.[1]
    if (role !== undefined) return `passt nicht: gilt für die Rolle ${role}`
    const said: Readonly<Record<string, string>> = {
      'it is for callers with a user': 'gilt für angemeldete',
      'a caller without a user owns nothing': 'wer nicht angemeldet ist, dem gehört nichts',
      "the record is another's": 'es gehört jemand anderem',
    }
    return `passt nicht: ${said[why] ?? why}`
  },
  notListed: (count) =>
    count === '1' ? '1 weitere Zeile steht nicht hier.' : `${count} weitere Zeilen stehen nicht hier.`,
  mayAsk: (role) => `Darf die Rolle ${role} überhaupt fragen?`,
  inOrder: 'Die Zeilen, wie sie gelesen werden',
  noEndpoint: (role) => `Keine Zeile lässt die Rolle ${role} an den Endpunkt, also wird keine andere gefragt.`,
  rowSays: (priority) => `Zeile ${priority} sagt das: die erste, die passt, entscheidet.`,
  noneMatches: 'Keine Zeile passt, und was keine erlaubt, ist verboten.',
  counts: (role, inherits) =>
    `Es zählen die Zeilen von ${listed([role, ...inherits])}. Andere können nicht passen und stehen nicht hier.`,
  under: 'Nach welcher Fassung',
  at: (chosen, shown) => {
    if (chosen !== null) return `Fassung ${number(chosen)}`
    return shown === null ? 'Jetzt' : `Jetzt, Fassung ${number(shown)}`
  },
  revision: 'Fassung',
  thatDay: 'In Kraft am',
  noneThen: 'Da gab es noch keine Fassung.',
  now: 'Jetzt',
  decision: 'Entscheidung',
  both: 'beides',
  added: 'hinzugefügt',
  removed: 'entfernt',
  noRows: 'Keine Zeile ist anders.',
  turned: ({ all, toAllow, toDeny, byOtherRule }) => {
    if (all === 0) return 'Keine Entscheidung änderte sich.'
    const parts = [
      toAllow > 0 && `${number(toAllow)} jetzt erlaubt`,
      toDeny > 0 && `${number(toDeny)} jetzt verboten`,
      byOtherRule > 0 && `${number(byOtherRule)} durch eine andere Regel`,
    ].filter((part) => part !== false)
    return `${number(all)} ${all === 1 ? 'Entscheidung' : 'Entscheidungen'}: ${parts.join(', ')}`
  },
}
