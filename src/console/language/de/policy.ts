import type { policy as english } from '../en/policy'
import { listed, number } from '../format'
import { doing, everyOne, rowWords } from './policy-rows'

export const policy: typeof english = {
  row: rowWords,
  everyOne,
  doing,
  unreadable: 'eine Zeile, die diese Version nicht lesen kann',
  effects: { allow: 'erlaubt', deny: 'verboten' },
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
}
