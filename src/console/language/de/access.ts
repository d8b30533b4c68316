import { listed, number } from '../format'
import type { Texts } from '../texts'

export const access: Texts['access'] = {
  lead: 'Jede Frage an die Regeln, beantwortet. Vollständig, keine Auswahl.',
  revision: (revision, isInForce) =>
    isInForce ? `Fassung ${revision}, in Kraft.` : `So galt es nach Fassung ${revision}.`,
  export: 'CSV speichern',
  propose: 'Änderung vorschlagen',
  explain: 'Für eine Person erklären',
  legend: 'Rechts in der Zelle steht, welche Regel es sagt. Eine breite Zelle: für eigenes und fremdes gleich.',
  withUser: (roles) =>
    `${roles.length > 9 ? `${number(roles.length)} Rollen` : listed(roles)}: hier gilt jede Zeile von user.`,
  exact: '„Jede andere Rolle“ und „jede andere Aktion“ stehen für alle Namen, die in keiner Zeile stehen.',
}
