import type { PolicyRow } from '../../../domain/policy-row.js'
import { capitalized } from '../format.js'

const ROLES: Readonly<Record<string, string>> = {
  anyone: 'jeder',
  user: 'jeder, der angemeldet ist,',
  anonymous: 'wer nicht angemeldet ist,',
}
/** Jeder mit einer Rolle. */
export const everyOne = (role: string): string =>
  Object.hasOwn(ROLES, role) ? (ROLES[role] ?? role) : `wer ${role} ist,`

interface ActionWords {
  readonly any: string
  /** was ein Verbot davon sagt: „nicht jeden“ wären manche */
  readonly none: string
  readonly own?: string
  readonly verb?: string
}
const onRecord = (any: string, none: string, own: string, verb: string): ActionWords => ({
  any: `${any} ${verb}`,
  none: `${none} ${verb}`,
  own: `${own} ${verb}`,
  verb,
})
const onLinks = (verb: string) => onRecord('jeden Link', 'keinen Link', 'eigene Links', verb)
const onUsers = (verb: string) => onRecord('alle Personen', 'keine Personen', 'das eigene Konto', verb)
const onProfiles = (verb: string) => onRecord('jedes Profil', 'kein Profil', 'das eigene Profil', verb)

const ACTIONS: Readonly<Record<string, ActionWords>> = {
  'link:read': onLinks('lesen'),
  'link:create': { any: 'Links anlegen', none: 'keine Links anlegen' },
  'link:update': onLinks('ändern'),
  'link:delete': onLinks('löschen'),
  'link:transfer': onLinks('weitergeben'),
  'user:invite': { any: 'Personen einladen', none: 'keine Personen einladen' },
  'user:read': onUsers('sehen'),
  'user:update': onUsers('ändern'),
  'user:delete': onUsers('löschen'),
  'policy:read': { any: 'die Regeln lesen', none: 'die Regeln nicht lesen' },
  'policy:write': { any: 'die Regeln ändern', none: 'die Regeln nicht ändern' },
  'policy:evaluate': {
    any: 'fragen, was die Regeln antworten',
    none: 'nicht fragen, was die Regeln antworten',
  },
  'audit:read': { any: 'das Protokoll lesen', none: 'das Protokoll nicht lesen' },
  'profile:read': onProfiles('lesen'),
  'profile:update': onProfiles('ändern'),
}
const wordsOf = (action: string): ActionWords =>
  (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined) ?? {
    any: `${action} mit allem tun`,
    none: `${action} mit nichts tun`,
    own: `${action} mit Eigenem tun`,
    verb: `${action === '*' ? 'alles' : action} mit dem tun`,
  }

export const doing = (action: string, isOwn: boolean): string => {
  if (action === '*') return isOwn ? 'mit Eigenem alles tun' : 'alles tun'
  const { any, own } = wordsOf(action)
  return isOwn ? (own ?? `${any}, wo der Datensatz der eigene ist`) : any
}
const notDoing = (action: string, isOwn: boolean): string => {
  if (action === '*') return 'mit Eigenem nichts tun'
  const { none, own } = wordsOf(action)
  // das Verb steht am Ende
  return isOwn ? (own?.replace(/\S+$/, 'nicht $&') ?? `${none}, wo der Datensatz der eigene ist`) : none
}

/** `isRest`: eine Zeile davor sagt, was für Eigenes gilt. */
export const rowWords = (row: PolicyRow, isRest = false): string => {
  const who = capitalized(everyOne(row.role))
  if (row.ptype === 'g') return `Für die Rolle ${row.role} gilt jede Zeile der Rolle ${row.inherits}`
  if (row.ptype === 'p2')
    return row.action === '*' ? `${who} darf alles aufrufen` : `${who} darf aufrufen: ${doing(row.action, false)}`
  const { role, action, reach, effect } = row
  if (effect === 'deny' && action === '*' && reach === 'any')
    return role === 'anyone' ? 'Alles andere ist verboten' : `${who} darf nichts weiter`
  if (isRest && reach === 'any') {
    const { verb = `${action} mit dem tun` } = wordsOf(action)
    return `${who} darf ${effect === 'allow' ? verb : `nicht ${verb}`}, was anderen gehört`
  }
  return `${who} darf ${(effect === 'allow' ? doing : notDoing)(action, reach === 'own')}`
}
