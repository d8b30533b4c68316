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

const ACTIONS: Readonly<Record<string, { readonly any: string; readonly own?: string; readonly verb?: string }>> = {
  'link:read': { any: 'jeden Link lesen', own: 'eigene Links lesen', verb: 'lesen' },
  'link:create': { any: 'Links anlegen' },
  'link:update': { any: 'jeden Link ändern', own: 'eigene Links ändern', verb: 'ändern' },
  'link:delete': { any: 'jeden Link löschen', own: 'eigene Links löschen', verb: 'löschen' },
  'link:transfer': { any: 'jeden Link weitergeben', own: 'eigene Links weitergeben', verb: 'weitergeben' },
  'user:invite': { any: 'Benutzer einladen' },
  'user:read': { any: 'alle Benutzer sehen', own: 'das eigene Konto sehen', verb: 'sehen' },
  'user:update': { any: 'alle Benutzer ändern', own: 'das eigene Konto ändern', verb: 'ändern' },
  'user:delete': { any: 'alle Benutzer löschen', own: 'das eigene Konto löschen', verb: 'löschen' },
  'policy:read': { any: 'die Regeln lesen' },
  'policy:write': { any: 'die Regeln ändern' },
  'policy:evaluate': { any: 'fragen, was die Regeln antworten' },
  'audit:read': { any: 'das Protokoll lesen' },
  'profile:read': { any: 'jedes Profil lesen', own: 'das eigene Profil lesen', verb: 'lesen' },
  'profile:update': { any: 'jedes Profil ändern', own: 'das eigene Profil ändern', verb: 'ändern' },
}

export const doing = (action: string, isOwn: boolean): string => {
  if (action === '*') return isOwn ? 'mit Eigenem alles tun' : 'alles tun'
  const words = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (words === undefined) return isOwn ? `${action} mit Eigenem tun` : `${action} mit allem tun`
  if (!isOwn) return words.any
  return words.own ?? `${words.any}, sofern es das eigene ist`
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
  const may = effect === 'allow' ? 'darf' : 'darf nicht'
  if (isRest && reach === 'any') {
    const { verb } = (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined) ?? {}
    return `${who} ${may} ${verb === undefined ? `${action} tun` : verb}, was anderen gehört`
  }
  return `${who} ${may} ${doing(action, reach === 'own')}`
}
