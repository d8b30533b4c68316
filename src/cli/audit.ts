import type { Command } from 'commander'

import { listCommand, tailCommand } from './audit/list.js'
import { expireCommand, verifyCommand } from './audit/verify.js'

export const register = (program: Command): void => {
  const audit = program.command('audit').description('read and verify the decision log')
  for (const add of [listCommand, tailCommand, verifyCommand, expireCommand]) add(audit)
}
