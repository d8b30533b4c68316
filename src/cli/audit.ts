import type { Command } from 'commander'

import { evidenceCommand } from './audit/evidence.js'
import { expireCommand } from './audit/expire.js'
import { listCommand, tailCommand } from './audit/list.js'
import { verifyCommand } from './audit/verify.js'

const COMMANDS = [listCommand, tailCommand, verifyCommand, evidenceCommand, expireCommand]

export const register = (program: Command): void => {
  const audit = program.command('audit').description('read and verify the decision log')
  for (const add of COMMANDS) add(audit)
}
