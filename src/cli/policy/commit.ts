import type { ReplayWindow } from '../../audit/replay.js'
import { Refusal } from '../../domain/refusal.js'
import { commitEdit } from '../../policy/edit.js'
import type { EditPlan } from '../../policy/edit.js'
import { PolicyError, describeFaults } from '../../policy/policy-error.js'
import { isEmpty } from '../../policy/replacement.js'
import { print } from '../session.js'
import { UsageError } from '../usage-error.js'
import { renderChanges, rowText } from './render.js'
import { renderReplay, replayOf } from './replay.js'
import { terminalOrigin } from './session.js'
import type { PolicySession } from './session.js'

export interface CommitOptions {
  readonly reason: string
  readonly dryRun?: true
  readonly json?: true
  readonly replay?: ReplayWindow
}

/** Puts a plan in force, unless this is a dry run or nothing changes, and tells what it does. */
export const commitPlan = async (
  { database, stored }: PolicySession,
  plan: EditPlan,
  { reason, dryRun, json, replay: window }: CommitOptions,
): Promise<void> => {
  const replayed = window && (await refusedInOneLine(replayOf(database, window, stored.lastGood, plan.candidate)))
  const nothing = isEmpty(plan)
  if (!nothing && !dryRun) await refusedInOneLine(commitEdit(database, plan, terminalOrigin(reason)))
  const revision = nothing || dryRun ? stored.revision : plan.candidate.revision
  if (json) {
    print(
      JSON.stringify({
        revision,
        ...(dryRun ? { dry_run: true } : {}),
        added: plan.add,
        removed: plan.remove,
        unreadable_removed: plan.unreadable,
        decisions_changed: plan.changes,
        ...(replayed ? { replay: replayed } : {}),
      }),
    )
    return
  }
  const rows = [
    ...plan.unreadable.map(({ ptype, rule }) => `- ${ptype}, ${JSON.stringify(rule).slice(0, 200)} (not a row)`),
    ...plan.remove.map((row) => `- ${rowText(row)}`),
    ...plan.add.map((row) => `+ ${rowText(row)}`),
  ]
  const shown =
    rows.length > MOST_ROWS
      ? [...rows.slice(0, MOST_ROWS), `… and ${(rows.length - MOST_ROWS).toLocaleString('en')} rows more`]
      : rows
  const end = nothing
    ? `no row changes: revision ${revision} stays`
    : dryRun
      ? `dry run: nothing was changed, revision ${revision} stays`
      : `revision ${revision} is in force`
  print(
    [
      ...(nothing ? [] : [...shown, renderChanges(plan.changes)]),
      ...(replayed ? [renderReplay(replayed)] : []),
      end,
    ].join('\n'),
  )
}

/** Throws UsageError where a replay is asked for and the edit is to be made: what it tells is to be known before. */
export const requireTrial = ({ dryRun, replay }: CommitOptions): void => {
  if (replay !== undefined && dryRun === undefined) throw new UsageError('--replay goes with --dry-run')
}

const MOST_ROWS = 50

/** A refusal as one line for a terminal: rows by their text, not by their place in a list of a request. */
export const refusedInOneLine = async <T>(
  work: Promise<T>,
  added: readonly Parameters<typeof rowText>[0][] = [],
): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal) || (error.errors === undefined && error.detail === undefined)) throw error
    const faults = error.errors?.map(({ field, message }) => {
      const [, nth, rest = ''] = /^add\[(\d+)\](?:\.(.*))?$/.exec(field) ?? []
      const row = nth === undefined ? undefined : added[Number(nth)]
      return {
        field: row === undefined ? '' : `the row "${rowText(row)}"${rest && `, ${rest}`}`,
        message: row === undefined && field !== 'add' ? `${field} ${message}` : message,
      }
    })
    throw new PolicyError(faults === undefined ? (error.detail ?? error.title) : describeFaults(faults))
  }
}
