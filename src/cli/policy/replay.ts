import { Option } from 'commander'

import type { PolicyAnswer } from '../../audit/decision-groups.js'
import { replay, type Replay } from '../../audit/replay.js'
import type { Database } from '../../database/database.js'
import { WINDOW_RULE, parseWindow, type ReplayWindow } from '../../domain/replay-window.js'
import { formatCsv } from '../../csv/format.js'
import type { Snapshot } from '../../policy/snapshot.js'
import { parsed } from '../arguments.js'
import { counted, number } from '../../domain/counted.js'
import { withProgress } from '../progress.js'
import { RECORD, renderTable } from './render.js'

const replayWindow = parsed((text) => parseWindow(text) ?? undefined, WINDOW_RULE)

export const replayOption = () =>
  new Option('--replay <window>', 'also replay the decisions of the last 30m, 24h, 7d, …').argParser(replayWindow)

/** Longer than over HTTP, where a request waits; must stay below the connection's deadline. */
const BUDGET_MS = 90_000

/** Undefined without a window. */
export const replayOf = async (
  database: Database,
  window: ReplayWindow | undefined,
  inForce: Snapshot,
  candidate: Snapshot,
): Promise<Replay | undefined> =>
  window &&
  withProgress(`replaying ${window.window} of decisions`, () =>
    replay(database, { ...window, inForce, candidate, budgetMs: BUDGET_MS }),
  )

const MAX_NAMED = 5

const answerText = (answer: PolicyAnswer | null): string =>
  answer === null ? 'undetermined' : `${answer.effect} ${answer.rule}`

const whom = ({ users, subjects }: Replay['decisions'][number]): string => {
  const shown = subjects.slice(0, MAX_NAMED)
  const more = users - shown.filter(({ id }) => id !== null).length
  const named = shown.map(({ id, count }) => `${id ?? 'without a user'} (${count})`).join(', ')
  return more > 0 ? `${named} and ${number(more)} more` : named
}

const HEAD = ['role', 'action', 'record', 'count', 'recorded', 'would be', 'users (decisions)']

/** Groups of changed decisions, one per line, and their numbers. */
export const renderReplay = (answer: Replay): string => {
  const { changed, by_other_rule, already, undetermined, not_listed, decisions } = answer
  const rows = decisions.map((each) => [
    each.role,
    each.action,
    each.layer === 'endpoint' ? 'not looked up' : RECORD[each.relation],
    number(each.count),
    answerText(each.before),
    answerText(each.after),
    whom(each),
  ])
  const of = counted(answer.considered, 'recorded decision')
  return [
    `replay of ${answer.window}, ${answer.from} to ${answer.to}`,
    ...(rows.length > 0 ? [renderTable(HEAD, rows)] : []),
    ...(not_listed > 0 ? [`and ${counted(not_listed, 'line')} more`] : []),
    `${number(changed)} of ${of} would be different, for ${counted(answer.subjects, 'user')}: ` +
      `${number(answer.deny_to_allow)} from deny to allow, ${number(answer.allow_to_deny)} from allow to deny`,
    ...(by_other_rule > 0 ? [`${number(by_other_rule)} more would get the same answer by another rule`] : []),
    ...(already > 0
      ? [`${number(already)} of these because of earlier edits: they differ from the rows in force`]
      : []),
    ...(undetermined > 0
      ? [`${number(undetermined)} more are undetermined: refused before the record was looked up, or not by the rows`]
      : []),
  ].join('\n')
}

/** The same groups as CSV. */
export const replayCsv = ({ decisions }: Replay): string =>
  formatCsv(decisions, {
    role: 'role',
    action: 'action',
    relation: 'relation',
    layer: 'layer',
    count: 'count',
    'before.effect': 'effect_before',
    'before.rule': 'rule_before',
    'in_force.effect': 'effect_in_force',
    'in_force.rule': 'rule_in_force',
    'after.effect': 'effect_after',
    'after.rule': 'rule_after',
    users: 'users',
  })
