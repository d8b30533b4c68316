import { stringify } from 'csv-stringify/sync'
import { InvalidArgumentError, Option } from 'commander'

import type { Verdict } from '../../audit/decision-groups.js'
import { WINDOW_RULE, parseWindow, replay } from '../../audit/replay.js'
import type { Replay, ReplayWindow } from '../../audit/replay.js'
import type { Database } from '../../database/database.js'
import type { Snapshot } from '../../policy/snapshot.js'
import { withProgress } from '../progress.js'
import { RECORD, counted, renderTable } from './render.js'

/** `--replay 24h` */
export const replayOption = (): Option =>
  new Option('--replay <window>', 'also decide what was recorded in that time again, such as 30m, 24h or 7d').argParser(
    (text): ReplayWindow => {
      const window = parseWindow(text)
      if (window === null) throw new InvalidArgumentError(WINDOW_RULE)
      return window
    },
  )

/** Nobody waits for an answer over HTTP here; a minute and a half is what the connection gives. */
const BUDGET_MS = 90_000

export const replayOf = (
  database: Database,
  window: ReplayWindow,
  inForce: Snapshot,
  candidate: Snapshot,
): Promise<Replay> =>
  withProgress(`deciding ${window.window} of records again`, () =>
    replay(database, { ...window, inForce, candidate, budgetMs: BUDGET_MS }),
  )

const MOST_NAMED = 5

const verdictText = (verdict: Verdict | null): string =>
  verdict === null ? 'cannot be told' : `${verdict.effect} ${verdict.rule}`

const whom = ({ users, subjects }: Replay['decisions'][number]): string => {
  const named = subjects.slice(0, MOST_NAMED).map(({ id, count }) => `${id ?? 'without a user'} (${count})`)
  const more = users - subjects.slice(0, MOST_NAMED).filter(({ id }) => id !== null).length
  return more > 0 ? `${named.join(', ')} and ${more.toLocaleString('en')} more` : named.join(', ')
}

/** The groups of decisions that would change, one a line, and sentences that say how many. */
export const renderReplay = (answer: Replay, onTerminal?: boolean): string => {
  const {
    window,
    from,
    to,
    considered,
    changed,
    allow_to_deny,
    deny_to_allow,
    already,
    undetermined,
    subjects,
    decisions,
    not_listed,
  } = answer
  const rows = decisions.map((each) => [
    each.role,
    each.action,
    each.layer === 'endpoint' ? 'not looked up' : RECORD[each.relation],
    each.count.toLocaleString('en'),
    verdictText(each.before),
    verdictText(each.after),
    whom(each),
  ])
  return [
    `replay of ${window}, ${from} to ${to}`,
    ...(rows.length === 0
      ? []
      : [
          renderTable(
            ['role', 'action', 'record', 'count', 'recorded', 'would be', 'users (decisions)'],
            rows,
            onTerminal,
          ),
        ]),
    ...(not_listed === 0 ? [] : [`and ${counted(not_listed, 'line')} more`]),
    `${changed.toLocaleString('en')} of ${counted(considered, 'recorded decision')} would change, for ${counted(subjects, 'user')}: ${deny_to_allow.toLocaleString('en')} from deny to allow, ${allow_to_deny.toLocaleString('en')} from allow to deny`,
    ...(already === 0
      ? []
      : [`${already.toLocaleString('en')} of these not by this edit: the revision in force answers them so already`]),
    ...(undetermined === 0
      ? []
      : [
          `${undetermined.toLocaleString('en')} more cannot be told: they were refused before the record was looked up, or beyond the rows`,
        ]),
  ].join('\n')
}

/** The same groups as CSV. */
export const replayCsv = ({ decisions }: Replay): string =>
  stringify(
    decisions.map(({ role, action, relation, layer, count, before, in_force, after, users }) => [
      role,
      action,
      relation,
      layer,
      count,
      before.effect,
      before.rule,
      in_force?.effect,
      in_force?.rule,
      after?.effect,
      after?.rule,
      users,
    ]),
    {
      header: true,
      columns: [
        'role',
        'action',
        'relation',
        'layer',
        'count',
        'effect_before',
        'rule_before',
        'effect_in_force',
        'rule_in_force',
        'effect_after',
        'rule_after',
        'users',
      ],
    },
  )
