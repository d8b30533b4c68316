import type { LogEntry } from '../../layers/4-data/decisions.js'
import type { StyledText } from '../print.js'

/** An entry as the parts of one line: time, outcome, rule, who, what. */
export const entryLine = (entry: LogEntry): readonly StyledText[] => {
  const { kind, subject, resource, action, effect, rule, status } = entry
  const time: StyledText = { text: entry.time, style: 'dim' }
  const who = { text: (subject.id === null ? (subject.network ?? '-') : `${subject.role} ${subject.id}`).padEnd(18) }
  if (kind !== 'decision') {
    const change = { text: changeText(entry.change ?? {}) }
    return [time, { text: kind.padEnd(OUTCOME_WIDTH), style: 'yellow' }, who, { text: resourceText(resource) }, change]
  }
  const outcome: StyledText = {
    text: `${effect} ${status} ${rule}`.padEnd(OUTCOME_WIDTH),
    style: effect === 'allow' ? 'green' : 'red',
  }
  const what = [action?.padEnd(15), resourceText(resource), resource.relation === 'own' ? '(own)' : '']
    .filter(Boolean)
    .join(' ')
  const change = entry.change === undefined ? [] : [{ text: changeText(entry.change) }]
  return [time, outcome, who, { text: what }, ...change, { text: `${entry.layer} ${entry.request_id}`, style: 'dim' }]
}

/** A link with its id, by which it is found under all of its codes. */
const resourceText = ({ type, id, code }: LogEntry['resource']): string =>
  [code, type === 'link' && id !== null ? `#${id}` : ''].filter(Boolean).join(' ')

/** The width of `deny 403 insufficient_scope`. */
const OUTCOME_WIDTH = 27

const changeText = ({ what, ...change }: Readonly<Record<string, unknown>>): string =>
  Object.entries({ what, ...change })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([field, value]) => `${field}=${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(' ')

/** As a JSON string, unless it has only letters, digits and harmless signs. */
const quoted = (text: string): string => (/^[\w@.,:;+/\-[\]"{}]*$/.test(text) ? text : JSON.stringify(text))
