import type { LogEntry } from 'linkgate/client'

import { ACTIONS } from '../../../domain/action.js'
import { DECIDING_LAYERS, ENTRY_KINDS } from '../../../domain/log-filter.js'
import { EFFECTS } from '../../../domain/policy-row.js'
import { isDecision } from './log-line.js'
import type { Known, KnownValues } from './suggestions.js'

const SPANS = ['1h', '24h', '7d', '30d']
const STATUSES = ['4xx', '401', '403', '404', '429', '5xx', '200', '201']

const values = (texts: Iterable<string | null>): readonly Known[] =>
  [...new Set(texts)].flatMap((value) => (value === null || value === '' ? [] : [{ value }]))

/** Search values: those of closed vocabularies, people, and values in the shown lines. */
export const knownIn = (lines: readonly LogEntry[], people: readonly Known[], today: string): KnownValues => {
  const decided = lines.filter(isDecision)
  const links = lines.filter(({ resource }) => resource.type === 'link')
  const users = values(lines.map(({ subject }) => subject.id))
  return {
    user: people.length > 0 ? people : users,
    action: values([...ACTIONS, ...decided.map(({ action }) => action)]),
    link: values(links.map(({ resource }) => resource.code)),
    effect: values(EFFECTS),
    since: values([...SPANS, today]),
    until: values([today]),
    rule: values(decided.map(({ rule }) => rule)),
    layer: values(DECIDING_LAYERS),
    status: values([...STATUSES, ...decided.map(({ status }) => String(status))]),
    revision: values(lines.map(({ revision }) => String(revision))),
    request: values(lines.map(({ request_id: request }) => request)),
    kind: values(ENTRY_KINDS),
  }
}
