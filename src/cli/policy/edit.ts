import type { Command } from 'commander'

import type { PolicyRow } from '../../domain/policy-row.js'
import { Refusal } from '../../domain/refusal.js'
import type { ReplayWindow } from '../../domain/replay-window.js'
import { createAccounts } from '../../identity/accounts.js'
import { analyseRows, describeFinding, type Finding } from '../../policy/analysis.js'
import { commitEdit } from '../../policy/commit-edit.js'
import { editAdding, isEmpty, planEdit, viewPlan, type EditPlan } from '../../policy/edit.js'
import { rowText } from '../../policy/parse-row.js'
import { PolicyError, describeFaults } from '../../policy/policy-error.js'
import { planReplacement, planRestore } from '../../policy/replacement.js'
import { rolesIn } from '../../policy/role-names.js'
import { jsonOption, reason, revision } from '../arguments.js'
import { number } from '../../domain/counted.js'
import { UsageError } from '../errors.js'
import { complain, print } from '../print.js'
import { withProgress } from '../progress.js'
import { explainReplaced, propose } from './propose.js'
import { diffLines, renderChanges } from './render.js'
import { renderReplay, replayOf, replayOption } from './replay.js'
import { readRowsFile, terminalActor, withPolicy, type PolicySession } from './session.js'
import { readExpectations, requireExpected } from './test.js'

interface EditOptions {
  readonly reason: string
  readonly dryRun?: true
  readonly json?: true
  readonly replay?: ReplayWindow
  readonly withoutApproval?: true
}

interface ApplyOptions extends EditOptions {
  readonly merge?: true
  readonly expect?: readonly string[]
}

const withEditOptions = (command: Command): Command =>
  command
    .requiredOption('--reason <text>', 'the reason, for the history', reason)
    .option('--dry-run', 'print what would change, without changing anything')
    .option('--without-approval', 'with POLICY_APPROVALS=1: apply at once, in an emergency; the history records it')
    .addOption(replayOption())
    .addOption(jsonOption())

export const applyCommand = (policy: Command) =>
  withEditOptions(policy.command('apply'))
    .description('put the rows of a file in force as a new revision, if they keep the invariants')
    .argument('<file>', 'policy file (CSV)')
    .option('--merge', 'add the rows of the file to those in force, without removing any')
    .option('--expect <files...>', 'expectation files (…allow.csv, …deny.csv) that the new rows must meet')
    .action(async (file: string, { merge, expect = [], ...options }: ApplyOptions) => {
      requireDryRun(options)
      const content = await readRowsFile(file)
      const expectations = await readExpectations(expect)
      await withPolicy(async (session) => {
        const { stored, rules } = session
        if (merge && stored.fault !== null)
          throw new PolicyError('--merge needs rows that are in force: apply a whole file, or restore a revision')
        const plan = await withProgress('checking invariants and comparing decisions', () =>
          merge
            ? planEdit(stored.lastGood, editAdding(content), rules, 'unbounded')
            : planReplacement(stored, content, rules, 'unbounded'),
        ).catch((error: unknown) => {
          throw namingRows(error, content.rows)
        })
        requireExpected(plan.candidate, expectations)
        await warnOfUselessRows(session, plan)
        await commitPlan(session, plan, options)
      })
    })

export const restoreCommand = (policy: Command) =>
  withEditOptions(policy.command('restore'))
    .description('put the rows of an earlier revision in force again, as a new revision')
    .argument('<revision>', 'the earlier revision', revision)
    .action(async (wanted: number, options: EditOptions) => {
      requireDryRun(options)
      await withPolicy(async (session) => {
        const { database, stored, rules } = session
        const plan = await withProgress('checking invariants and comparing decisions', () =>
          planRestore(database, stored, wanted, rules, 'unbounded'),
        )
        if (plan === null) throw new PolicyError(`there is no policy revision ${wanted}`)
        await commitPlan(session, plan, options)
      })
    })

/** A replay informs the decision about an edit, so it must come before the edit. */
const requireDryRun = ({ dryRun, replay }: EditOptions): void => {
  if (replay !== undefined && dryRun === undefined) throw new UsageError('--replay needs --dry-run')
}

/** Names faulty rows by their text instead of their index in a request. */
const namingRows = (error: unknown, added: readonly PolicyRow[]): unknown => {
  if (!(error instanceof Refusal) || error.errors === undefined) return error
  const faults = error.errors.map(({ field, message }) => {
    const [, index, rest = ''] = /^add\.(\d+)(?:\.(.*))?$/.exec(field) ?? []
    const row = index === undefined ? undefined : added[Number(index)]
    if (row === undefined) return { field: '', message: field === 'add' ? message : `${field} ${message}` }
    return { field: `the row "${rowText(row)}"${rest && `, ${rest}`}`, message }
  })
  return new PolicyError(describeFaults(faults))
}

const MAX_WARNINGS = 10

const WARNED_OF: ReadonlySet<Finding['kind']> = new Set(['unreachable', 'unknown_action', 'lone_role'])

const warnOfUselessRows = async ({ database, stored }: PolicySession, { add, candidate }: EditPlan): Promise<void> => {
  const added = new Set(add.map(rowText))
  const knownRoles = [...rolesIn(stored.lastGood.rows), ...(await createAccounts(database).rolesInUse())]
  const findings = (await withProgress('analysing rows', () => analyseRows(candidate, { knownRoles }))).filter(
    ({ kind, row }) => WARNED_OF.has(kind) && added.has(rowText(row)),
  )
  for (const finding of findings.slice(0, MAX_WARNINGS))
    complain(`warning: ${rowText(finding.row)}: ${describeFinding(finding).replace(/^warning: /, '')}`)
  if (findings.length > MAX_WARNINGS)
    complain(`warning: and ${number(findings.length - MAX_WARNINGS)} more: see linkgate policy check`)
}

/** Commits or proposes a plan, unless it is a dry run or changes nothing, and prints its effects. */
const commitPlan = async (
  session: PolicySession,
  plan: EditPlan,
  { reason, dryRun, json, replay: window, withoutApproval }: EditOptions,
): Promise<void> => {
  const { database, stored, approvals } = session
  const replay = await replayOf(database, window, stored.lastGood, plan.candidate)
  const nothing = isEmpty(plan)
  const writes = !nothing && !dryRun
  const needsApproval = approvals && !withoutApproval
  const proposal = writes && needsApproval ? await propose(session, plan, reason) : undefined
  const commits = writes && !needsApproval
  if (commits)
    await commitEdit(database, plan, {
      actor: terminalActor(),
      reason,
      // where an approval is required, only an edit without one gets here
      withoutApproval: approvals,
      // the policy was not asked
      decision: null,
    }).catch(explainReplaced)
  const revision = commits ? plan.candidate.revision : stored.revision
  if (json) {
    const { unreadable } = plan
    const view = { revision, dry_run: dryRun, proposal, ...viewPlan(plan), unreadable_removed: unreadable, replay }
    return print(JSON.stringify(view))
  }
  if (!nothing) printPlan(plan)
  if (replay) print(renderReplay(replay))
  if (nothing) print(`nothing changes: revision ${revision} stays in force`)
  else if (proposal !== undefined)
    print(`proposal ${proposal} needs somebody else's approval: revision ${revision} stays in force`)
  else print(dryRun ? `dry run: revision ${revision} stays in force` : `revision ${revision} is in force`)
}

const MAX_ROWS = 50

const printPlan = ({ add, remove, unreadable, commented, changes }: EditPlan): void => {
  const unreadables = unreadable.map(
    ({ ptype, rule }) => `- ${ptype}, ${JSON.stringify(rule).slice(0, 200)} (not a row)`,
  )
  const rows = [...unreadables, ...diffLines(remove, add, commented)]
  print(rows.slice(0, MAX_ROWS).join('\n'))
  if (rows.length > MAX_ROWS) print(`… and ${number(rows.length - MAX_ROWS)} more rows`)
  print(renderChanges(changes))
}
