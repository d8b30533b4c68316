import type { Command } from 'commander'

import { expireCommand } from './audit/expire.js'
import { listCommand, tailCommand } from './audit/list.js'
import { verifyCommand } from './audit/verify.js'

export const auditCommand = (program: Command): void => {
  const audit = program.command('audit').description('read and verify the decision log')
  for (const add of [listCommand, tailCommand, verifyCommand, expireCommand]) add(audit)
}
