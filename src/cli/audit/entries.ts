import { styleText } from 'node:util'

import { Option } from 'commander'
import type { Command } from 'commander'

import type { Database } from '../../database/database.js'
import { ENTRY_KINDS } from '../../layers/4-data/decisions.js'
import type { LogEntry, LogFilter } from '../../layers/4-data/decisions.js'
import { escapeInvisible } from '../../log/escape-invisible.js'
import { action } from '../arguments.js'
import { requireUser } from '../session.js'

export const withFilters = (command: Command): Command =>
  command
    .option('--user <id or e-mail>', 'entries of one user')
    .option('--action <action>', 'entries of one action, such as link:delete', action)
    .addOption(new Option('--effect <effect>', 'what was allowed, or what was denied').choices(['allow', 'deny']))
    .option('--rule <rule>', 'entries by one rule, such as R5, or one refusal, such as insufficient_scope')
    .option('--request <id>', 'entries of one request')
    .addOption(new Option('--kind <kind>', 'decisions, or changes of one kind').choices([...ENTRY_KINDS]))

/** The filter of these options, with the user's id. */
export const filterOf = async (database: Database, options: LogFilter): Promise<LogFilter> =>
  options.user === undefined ? options : { ...options, user: (await requireUser(database, options.user)).id }

/** An entry as one line: time, outcome, rule, who, what. No text in it can control the terminal. */
export const entryLine = (entry: LogEntry): string => {
  const { kind, subject, resource, action, effect, rule, status } = entry
  const time = paint('dim', entry.time)
  const who = (subject.id === null ? (subject.network ?? '-') : `${subject.role} ${subject.id}`).padEnd(18)
  if (kind !== 'decision') {
    const change = changeText(entry.change ?? {})
    return [time, paint('yellow', kind.padEnd(OUTCOME_WIDTH)), who, resource.code ?? '', change].join('  ')
  }
  const outcome = paint(effect === 'allow' ? 'green' : 'red', `${effect} ${status} ${rule}`.padEnd(OUTCOME_WIDTH))
  const what = [action?.padEnd(15), resource.code, resource.relation === 'own' ? '(own)' : ''].filter(Boolean).join(' ')
  return [time, outcome, who, what, paint('dim', `${entry.layer} ${entry.request_id}`)].join('  ')
}

/** The width of `deny 403 insufficient_scope`. */
const OUTCOME_WIDTH = 27

const changeText = ({ what, ...change }: Readonly<Record<string, unknown>>): string =>
  Object.entries({ what, ...change })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([field, value]) => `${field}=${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(' ')

/** As a JSON string, unless it has only letters, digits and harmless signs. */
const quoted = (text: string): string =>
  /^[\w@.,:;+/\-[\]"{}]*$/.test(text) ? text : escapeInvisible(JSON.stringify(text))

/** On a terminal only, and not with NO_COLOR (https://no-color.org). */
const paint = (colour: 'red' | 'green' | 'yellow' | 'dim', text: string): string =>
  styleText(colour, text, { stream: process.stdout })
