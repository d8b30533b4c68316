import type { Command } from 'commander'

import type { CellChange } from '../../domain/decision-table.js'
import { positiveIntegerIn } from '../../domain/positive-integer.js'
import type { ReplayWindow } from '../../domain/replay-window.js'
import { formatCsv } from '../../csv/format.js'
import { commentChanges } from '../../policy/comments.js'
import { editBetween } from '../../policy/edit.js'
import { decisionChanges } from '../../policy/table.js'
import { jsonOption } from '../arguments.js'
import { print } from '../print.js'
import { withProgress } from '../progress.js'
import { diffLines, renderChanges } from './render.js'
import { renderReplay, replayCsv, replayOf, replayOption } from './replay.js'
import { snapshotOfFile, snapshotOfRevision, withPolicy, type PolicySession } from './session.js'

interface Options {
  readonly json?: true
  readonly csv?: true
  readonly replay?: ReplayWindow
}

export const diffCommand = (policy: Command) =>
  policy
    .command('diff')
    .description('print every decision that differs from what is in force, or between two policies')
    .argument('<policy>', 'policy file or revision, compared with what is in force')
    .argument('[other]', 'policy file or revision, compared with the first instead')
    .addOption(jsonOption())
    .option('--csv', 'print CSV; with --replay, the recorded decisions that would change')
    .addOption(replayOption())
    .action((one: string, other: string | undefined, { json, csv, replay: window }: Options) =>
      withPolicy(async (session) => {
        const { lastGood } = session.stored
        const inForce = { name: `revision ${lastGood.revision} (in force)`, snapshot: lastGood }
        const from = other === undefined ? inForce : await named(session, one)
        const to = await named(session, other ?? one)
        const { add, remove } = editBetween(from.snapshot.rows, to.snapshot.rows)
        const changes = await withProgress('comparing decisions', () =>
          decisionChanges(from.snapshot, to.snapshot, [...add, ...remove]),
        )
        const comments = commentChanges(from.snapshot.comments, to.snapshot.comments)
        const replay = await replayOf(session.database, window, from.snapshot, to.snapshot)
        if (json) {
          const edit = { added: add, removed: remove, comments, decisions_changed: changes }
          print(JSON.stringify({ from: from.name, to: to.name, ...edit, replay }))
        } else if (csv) print(replay ? replayCsv(replay) : changesCsv(changes))
        else {
          print(`from ${from.name} to ${to.name}`)
          print(
            [
              ...diffLines(remove, add, comments),
              renderChanges(changes),
              ...(replay ? [renderReplay(replay)] : []),
            ].join('\n'),
          )
        }
      }),
    )

const named = async (session: PolicySession, name: string) => {
  const revision = positiveIntegerIn(name)
  return revision === null
    ? { name, snapshot: await snapshotOfFile(name, session.rules) }
    : { name: `revision ${name}`, snapshot: await snapshotOfRevision(session, revision) }
}

const changesCsv = (changes: readonly CellChange[]): string =>
  formatCsv(changes, {
    role: 'role',
    action: 'action',
    relation: 'relation',
    'before.effect': 'effect_before',
    'before.rule': 'rule_before',
    'before.endpoint': 'endpoint_before',
    'after.effect': 'effect_after',
    'after.rule': 'rule_after',
    'after.endpoint': 'endpoint_after',
  })
