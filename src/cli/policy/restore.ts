import { Command, InvalidArgumentError } from 'commander'

import { rowsOfRevision } from '../../policy/history.js'
import { PolicyError } from '../../policy/policy-error.js'
import { planReplacement } from '../../policy/replacement.js'
import { reasonOf } from './apply.js'
import { commitPlan, refusedInOneLine, requireTrial } from './commit.js'
import type { CommitOptions } from './commit.js'
import { withProgress } from '../progress.js'
import { replayOption } from './replay.js'
import { withPolicy } from './session.js'

export const revisionOf = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('must be the number of a revision')
  return Number(text)
}

/**
 * `linkgate policy restore REVISION --reason TEXT`: a new revision with the rows of an earlier one, and the checks of
 * every edit.
 */
export const restoreCommand = (): Command =>
  new Command('restore')
    .description('make the rows what they were at a revision: a new revision, with the same checks')
    .argument('<revision>', 'revision', revisionOf)
    .requiredOption('--reason <text>', 'why; the history keeps it', reasonOf)
    .option('--dry-run', 'tell what would change, and change nothing')
    .addOption(replayOption())
    .option('--json', 'the answer as JSON')
    .action(async (revision: number, options: CommitOptions) => {
      requireTrial(options)
      await withPolicy(async (session) => {
        const { database, rules, stored } = session
        const rows = await refusedInOneLine(rowsOfRevision(database, stored, revision))
        if (rows === null) throw new PolicyError(`there is no policy revision ${revision}`)
        const plan = await withProgress('asking the invariants and every decision that can change', () =>
          refusedInOneLine(planReplacement(stored, rows, rules)),
        )
        await commitPlan(session, plan, options)
      })
    })
