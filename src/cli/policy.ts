import { Command } from 'commander'

import { applyCommand } from './policy/apply.js'
import { checkCommand } from './policy/check.js'
import { diffCommand } from './policy/diff.js'
import { explainCommand } from './policy/explain.js'
import { exportCommand } from './policy/export.js'
import { historyCommand } from './policy/history.js'
import { restoreCommand } from './policy/restore.js'
import { tableCommand } from './policy/table.js'
import { testCommand } from './policy/test.js'

/** `linkgate policy …` */
export const policyCommand = (): Command => {
  const command = new Command('policy').description('read, check and change the policy rows')
  for (const each of [
    exportCommand(),
    tableCommand(),
    checkCommand(),
    testCommand(),
    explainCommand(),
    diffCommand(),
    applyCommand(),
    historyCommand(),
    restoreCommand(),
  ])
    command.addCommand(each)
  return command
}
