import { stringify } from 'csv-stringify/sync'
import { Command } from 'commander'

import type { ReplayWindow } from '../../audit/replay.js'
import { editBetween } from '../../policy/edit.js'
import type { Snapshot } from '../../policy/snapshot.js'
import { decisionChanges } from '../../policy/table.js'
import type { CellChange } from '../../policy/table.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { refusedInOneLine } from './commit.js'
import { withProgress } from '../progress.js'
import { renderChanges, rowText } from './render.js'
import { renderReplay, replayCsv, replayOf, replayOption } from './replay.js'
import { snapshotOfFile, snapshotOfRevision, withPolicy } from './session.js'
import type { PolicySession } from './session.js'

interface DiffOptions {
  readonly json?: true
  readonly csv?: true
  readonly replay?: ReplayWindow
}

/**
 * `linkgate policy diff FILE|REVISION [FILE|REVISION]`: with one, from what is in force to it; with two, from the first
 * to the second.
 */
export const diffCommand = (): Command =>
  new Command('diff')
    .description(
      'print every decision that changes between what is in force and a file or revision, or between two of them',
    )
    .argument('<to>', 'policy file or revision; with a second one: from where')
    .argument('[to-other]', 'policy file or revision to compare the first with')
    .option('--json', 'as JSON')
    .option('--csv', 'as CSV; with --replay, the recorded decisions that would change')
    .addOption(replayOption())
    .action(async (one: string, other: string | undefined, { json, csv, replay: window }: DiffOptions) => {
      if (json && csv) throw new UsageError('--json and --csv exclude each other')
      await withPolicy(async (session) => {
        const { lastGood } = session.stored
        const from =
          other === undefined
            ? { name: `revision ${lastGood.revision} (in force)`, snapshot: lastGood }
            : await named(session, one)
        const to = await named(session, other ?? one)
        const { add, remove } = editBetween(from.snapshot.rows, to.snapshot.rows)
        const changes = await withProgress('asking every decision that can change', () =>
          refusedInOneLine(decisionChanges(from.snapshot, to.snapshot, [...add, ...remove])),
        )
        const replayed =
          window && (await refusedInOneLine(replayOf(session.database, window, from.snapshot, to.snapshot)))
        if (json)
          print(
            JSON.stringify({
              from: from.name,
              to: to.name,
              added: add,
              removed: remove,
              decisions_changed: changes,
              ...(replayed ? { replay: replayed } : {}),
            }),
          )
        else if (csv) print(replayed ? replayCsv(replayed) : changesCsv(changes))
        else {
          print(
            [
              `from ${from.name} to ${to.name}`,
              ...remove.map((row) => `- ${rowText(row)}`),
              ...add.map((row) => `+ ${rowText(row)}`),
              renderChanges(changes),
              ...(replayed ? [renderReplay(replayed)] : []),
            ].join('\n'),
          )
        }
      })
    })

const named = async (
  session: PolicySession,
  name: string,
): Promise<{ readonly name: string; readonly snapshot: Snapshot }> =>
  /^[1-9]\d{0,14}$/.test(name)
    ? { name: `revision ${name}`, snapshot: await snapshotOfRevision(session, Number(name)) }
    : { name, snapshot: await snapshotOfFile(name, session.rules) }

const changesCsv = (changes: readonly CellChange[]): string =>
  stringify(
    changes.map(({ role, action, relation, before, after }) => [
      role,
      action,
      relation,
      before.effect,
      before.rule,
      before.endpoint,
      after.effect,
      after.rule,
      after.endpoint,
    ]),
    {
      header: true,
      columns: [
        'role',
        'action',
        'relation',
        'effect_before',
        'rule_before',
        'endpoint_before',
        'effect_after',
        'rule_after',
        'endpoint_after',
      ],
    },
  )
