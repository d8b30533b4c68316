import type { Command } from 'commander'

import { checkCommand } from './policy/check.js'
import { diffCommand } from './policy/diff.js'
import { applyCommand, restoreCommand } from './policy/edit.js'
import { explainCommand } from './policy/explain.js'
import { exportCommand, historyCommand, tableCommand } from './policy/show.js'
import { approveCommand, declineCommand, proposalsCommand, withdrawCommand } from './policy/proposals.js'
import { testCommand } from './policy/test.js'

export const register = (program: Command): void => {
  const policy = program.command('policy').description('read, check and change the policy rows')
  const commands = [
    exportCommand,
    tableCommand,
    checkCommand,
    testCommand,
    explainCommand,
    diffCommand,
    applyCommand,
    historyCommand,
    restoreCommand,
    proposalsCommand,
    approveCommand,
    declineCommand,
    withdrawCommand,
  ]
  for (const add of commands) add(policy)
}
