import { Command, InvalidArgumentError } from 'commander'

import { analyseRows } from '../../policy/analysis.js'
import { planEdit } from '../../policy/edit.js'
import type { EditPlan } from '../../policy/edit.js'
import { PolicyError } from '../../policy/policy-error.js'
import { planReplacement } from '../../policy/replacement.js'
import { describeFinding } from './check.js'
import { commitPlan, refusedInOneLine, requireTrial } from './commit.js'
import type { CommitOptions } from './commit.js'
import { warn, withProgress } from '../progress.js'
import { rowText } from './render.js'
import { replayOption } from './replay.js'
import { readRowsFile, withPolicy } from './session.js'
import { readExpectations, requireExpected } from './test.js'

export const reasonOf = (text: string): string => {
  const reason = text.trim()
  if (reason === '' || reason.length > 1_000) throw new InvalidArgumentError('must say why, in 1 to 1,000 characters')
  return reason
}

interface ApplyOptions extends CommitOptions {
  readonly merge?: true
  readonly expect?: readonly string[]
}

/** `linkgate policy apply FILE --reason TEXT`: the rows of the file become the policy. */
export const applyCommand = (): Command =>
  new Command('apply')
    .description('make the rows of a file the policy: a new revision, checked against the invariants first')
    .argument('<file>', 'policy file (CSV)')
    .requiredOption('--reason <text>', 'why; the history keeps it', reasonOf)
    .option('--merge', 'add the rows of the file to those in force, and remove none')
    .option('--dry-run', 'tell what would change, and change nothing')
    .addOption(replayOption())
    .option('--expect <files...>', 'expectation files (…allow.csv, …deny.csv) that the new rows must meet')
    .option('--json', 'the answer as JSON')
    .action(async (file: string, { merge, expect = [], ...options }: ApplyOptions) => {
      requireTrial(options)
      const [rows, expectations] = [await readRowsFile(file), await readExpectations(expect)]
      await withPolicy(async (session) => {
        const { stored, rules } = session
        if (merge && stored.fault !== null)
          throw new PolicyError(
            '--merge needs rows that are in force to add to: apply a whole file, or restore a revision',
          )
        const plan = await withProgress('asking the invariants and every decision that can change', () =>
          refusedInOneLine(
            merge ? planEdit(stored.lastGood, { add: rows, remove: [] }, rules) : planReplacement(stored, rows, rules),
            rows,
          ),
        )
        requireExpected(plan.candidate, expectations)
        await warnOfAdded(plan)
        await commitPlan(session, plan, options)
      })
    })

const MOST_WARNINGS = 10

/** What the author of new rows should hear, though nothing forbids it. */
const warnOfAdded = async ({ add, candidate }: EditPlan): Promise<void> => {
  const added = new Set(add.map(rowText))
  const findings = (await withProgress('asking what each row is good for', () => analyseRows(candidate))).filter(
    ({ kind, row }) => (kind === 'unreachable' || kind === 'unknown_action') && added.has(rowText(row)),
  )
  for (const finding of findings.slice(0, MOST_WARNINGS))
    warn(`${rowText(finding.row)}: ${describeFinding(finding).replace(/^warning: /, '')}`)
  if (findings.length > MOST_WARNINGS)
    warn(`and ${(findings.length - MOST_WARNINGS).toLocaleString('en')} more: see linkgate policy check`)
}
