import { Command, InvalidArgumentError } from 'commander'

import { findRevision, listRevisions } from '../../policy/history.js'
import type { HistoryRow } from '../../policy/history.js'
import { PolicyError } from '../../policy/policy-error.js'
import { print } from '../session.js'
import { renderTable, rowText } from './render.js'
import { revisionOf } from './restore.js'
import { withPolicy } from './session.js'

const limitOf = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 9999')
  return Number(text)
}

/** `linkgate policy history [REVISION]` */
export const historyCommand = (): Command =>
  new Command('history')
    .description('print who changed the rows, when and why, newest first; or all of one revision')
    .argument('[revision]', 'revision', revisionOf)
    .option('--limit <count>', 'so many revisions at the most', limitOf, 50)
    .option('--json', 'as JSON')
    .action(async (revision: number | undefined, { limit, json }: { readonly limit: number; readonly json?: true }) =>
      withPolicy(async ({ database }) => {
        if (revision !== undefined) {
          const found = await findRevision(database, revision)
          if (found === null) throw new PolicyError(`there is no policy revision ${revision}`)
          print(
            json
              ? JSON.stringify(found)
              : [
                  `revision ${found.revision}, ${found.time}, by ${found.actor.name}`,
                  `reason: ${found.reason}`,
                  ...found.removed.map((row) => `- ${historyText(row)}`),
                  ...found.added.map((row) => `+ ${historyText(row)}`),
                ].join('\n'),
          )
          return
        }
        const { data } = await listRevisions(database, { limit })
        print(
          json
            ? JSON.stringify({ data })
            : renderTable(
                ['revision', 'time', 'by', 'rows', 'reason'],
                data.map(({ revision, time, actor, added, removed, reason }) => [
                  String(revision),
                  time,
                  actor.name,
                  `+${added.length} -${removed.length}`,
                  reason,
                ]),
              ),
        )
      }),
    )

const historyText = (row: HistoryRow): string =>
  'unreadable' in row ? `${row.ptype}, ${JSON.stringify(row.unreadable)} (not a row)` : rowText(row)
