import { Option, type Command } from 'commander'

import { isId } from '../../domain/id.js'
import { isCode } from '../../domain/link.js'
import { DECIDING_LAYERS, ENTRY_KINDS, statusRange, type LogFilter } from '../../domain/log-filter.js'
import { decisionLog, type DecisionLog } from '../../layers/4-data/decisions.js'
import { action, checked, revision } from '../arguments.js'
import { lookUpUser, withDatabase } from '../session.js'

const status = checked((text) => statusRange(text) !== null, 'must be a status such as 403, or a class such as 4xx')

/** An id has the form of a code. */
const link = checked(isCode, 'must be the code or the id of a link')

export const withFilters = (command: Command): Command =>
  command
    .option('--user <id or e-mail>', 'entries of one user')
    .option('--link <code or id>', 'entries about one link: by its id, or those under one of its codes', link)
    .option('--action <action>', 'entries of one action, such as link:delete', action)
    .addOption(
      new Option('--effect <effect>', 'only what was allowed, or only what was denied').choices(['allow', 'deny']),
    )
    .option('--rule <rule>', 'entries by one rule, such as R5, or one refusal, such as insufficient_scope')
    .addOption(new Option('--layer <layer>', 'decisions of one layer').choices([...DECIDING_LAYERS]))
    .option('--status <status>', 'entries with a response status, such as 403, or a class of them: 4xx', status)
    .option('--revision <number>', 'entries decided under one revision of the policy', revision)
    .option('--request <id>', 'entries of one request')
    .addOption(new Option('--kind <kind>', 'decisions, or changes of one kind').choices([...ENTRY_KINDS]))

/** Opens the log. A user in the filter may be named by an address. An id may be that of a deleted user. */
export const withLog = (options: LogFilter, work: (log: DecisionLog, filter: LogFilter) => Promise<void>) =>
  withDatabase(async (database) => {
    const { user } = options
    const filter =
      user === undefined || isId(user) ? options : { ...options, user: (await lookUpUser(database, user)).id }
    await work(decisionLog(database, 'command line'), filter)
  })
