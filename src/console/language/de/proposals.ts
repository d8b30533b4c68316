import type { Texts } from '../texts'

const DONE = { open: 'Offen', applied: 'Genehmigt', declined: 'Abgelehnt', withdrawn: 'Zurückgezogen' }

export const proposals: Texts['proposals'] = {
  title: 'Änderungen zu zweit',
  lead: 'Mit POLICY_APPROVALS schlägt jemand eine Änderung der Regeln vor, und jemand anderes setzt sie in Kraft.',
  one: (id) => `Vorschlag ${id}`,
  back: 'Zu allen Vorschlägen',
  state: 'Stand',
  states: { open: 'offen', applied: 'genehmigt', declined: 'abgelehnt', withdrawn: 'zurückgezogen' },
  all: 'alle',
  by: (who, when) => `${who}, ${when}`,
  closed: (state, who, when, why) => `${DONE[state]}: ${who}, ${when}${why === null ? '' : `: ${why}`}`,
  noneOpen: 'Nichts wartet auf Genehmigung.',
  noneHint: 'Was aus früheren wurde, steht unter „Stand“.',
  none: 'Es gibt keinen.',
  against: (revision) => `Gegen Fassung ${revision}, die gilt. Nichts ändert sich vor der Genehmigung.`,
  moved: (base, revision) => `Für Fassung ${base} gemacht, hier gegen Fassung ${revision}, die inzwischen gilt.`,
  inItsWay: (title) => `So lässt er sich nicht genehmigen: ${title}`,
  commentsAlone: 'Kommentare zu Zeilen, die bleiben',
  decide: 'Entscheidung',
  reason: 'Grund, für das Protokoll',
  reasonHint: 'Zum Ablehnen nötig.',
  approve: (revision) => `Als Fassung ${revision} genehmigen`,
  approved: (revision) => `Fassung ${revision} ist in Kraft.`,
  decline: 'Ablehnen',
  declined: 'Abgelehnt.',
  withdraw: 'Zurückziehen',
  withdrawn: 'Zurückgezogen.',
  notRecorded:
    'Jemand anderes hat zuerst entschieden. Was Sie getippt haben, bleibt hier, steht aber nicht im Protokoll.',
  own: 'der eigene Vorschlag: jemand anderes entscheidet',
  blocked: 'etwas steht im Weg',
  sayWhy: 'nennen Sie den Grund, für das Protokoll',
}
