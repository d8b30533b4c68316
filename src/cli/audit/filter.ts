import { Command, InvalidArgumentError, Option } from 'commander'

import { isAction } from '../../domain/action.js'
import type { Database } from '../../database/database.js'
import { StartError } from '../../domain/start-error.js'
import { createAccounts } from '../../identity/accounts.js'
import { ENTRY_KINDS } from '../../layers/4-data/decisions.js'
import type { LogFilter } from '../../layers/4-data/decisions.js'

/** What an operator says of the entries that they want to see. */
export interface FilterOptions extends Omit<LogFilter, 'user'> {
  /** id or e-mail */
  readonly user?: string
}

const action = (text: string): string => {
  if (!isAction(text)) throw new InvalidArgumentError('must be <resource>:<verb>, such as link:delete')
  return text
}

const SPAN = /^(\d{1,5})([mhd])$/
const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** A time as ISO 8601, or so long ago: `90m`, `24h`, `7d`. */
const moment = (text: string): string => {
  const [, count, unit] = SPAN.exec(text) ?? []
  if (count !== undefined && (unit === 'm' || unit === 'h' || unit === 'd'))
    return new Date(Date.now() - Number(count) * MINUTES[unit] * 60_000).toISOString()
  const time = Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time))
    throw new InvalidArgumentError(
      'must be a time such as 2026-11-21T05:00:00Z or 2026-11-21, or so long ago: 90m, 24h, 7d',
    )
  return new Date(time).toISOString()
}

export const withFilters = (command: Command): Command =>
  command
    .option('--user <id or e-mail>', 'of one user')
    .option('--action <action>', 'of one action, such as link:delete', action)
    .addOption(new Option('--effect <effect>', 'allowed or refused alone').choices(['allow', 'deny']))
    .option('--rule <rule>', 'by one rule, such as R5, or one refusal, such as insufficient_scope')
    .option('--request <id>', 'of one request')
    .addOption(new Option('--kind <kind>', 'decisions, or changes of one kind, alone').choices([...ENTRY_KINDS]))

export const withTimes = (command: Command): Command =>
  command
    .option('--from <time>', 'from this time on; a time, or so long ago (24h)', moment)
    .option('--to <time>', 'before this time', moment)

/** The filter with the user's id. Throws StartError where there is no such user. */
export const filterOf = async (
  database: Database,
  { kind, user, request, action, effect, rule, from, to }: FilterOptions,
): Promise<LogFilter> => {
  const found = user === undefined ? undefined : await createAccounts(database).find(user)
  if (found === null) throw new StartError(`there is no user ${user}`)
  return { kind, user: found?.id, request, action, effect, rule, from, to }
}
