import { styleText } from 'node:util'

import type { LogEntry } from '../../layers/4-data/decisions.js'
import { escapeInvisible } from '../../log/escape-invisible.js'

/**
 * An entry as one line: when, what came of it, by which rule, who, what. Columns stand under each other, and a reason
 * that somebody typed can neither move the cursor nor turn the line around.
 */
export const entryLine = (entry: LogEntry): string => {
  const { time, kind, subject, resource, action, effect, rule, status, layer, request_id: request } = entry
  const who = (subject.id === null ? (subject.network ?? '-') : `${subject.role} ${subject.id}`).padEnd(18)
  if (kind !== 'decision') {
    return `${paint('dim', time)}  ${paint('yellow', kind.padEnd(OUTCOME))}  ${who}  ${resource.code ?? ''}  ${changeText(entry.change ?? {})}`
  }
  const outcome = `${effect} ${status} ${rule}`.padEnd(OUTCOME)
  const about = [action?.padEnd(15), resource.code ?? '', resource.relation === 'own' ? '(own)' : '']
    .filter((text) => text !== '')
    .join(' ')
  return `${paint('dim', time)}  ${paint(effect === 'allow' ? 'green' : 'red', outcome)}  ${who}  ${about}  ${paint('dim', `${layer} ${request}`)}`
}

const changeText = ({ what, ...change }: Readonly<Record<string, unknown>>): string =>
  Object.entries({ what, ...change })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([field, value]) => `${field}=${safe(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(' ')

/** As JSON writes it where it is more than letters, digits and signs: no control character reaches a terminal. */
const safe = (text: string): string =>
  /^[\w@.,:;+/\-[\]"{}]*$/.test(text) ? text : escapeInvisible(JSON.stringify(text))

/** As wide as `deny 403 insufficient_scope`. */
const OUTCOME = 27

/** Colours for a terminal alone, and not where NO_COLOR is set (https://no-color.org). */
const paint = (colour: 'red' | 'green' | 'yellow' | 'dim', text: string): string =>
  styleText(colour, text, { stream: process.stdout })
