import { Command } from 'commander'

import { expireCommand } from './audit/expire.js'
import { listCommand } from './audit/list.js'
import { tailCommand } from './audit/tail.js'
import { verifyCommand } from './audit/verify.js'

/** `linkgate audit …` */
export const auditCommand = (): Command => {
  const command = new Command('audit').description('read the decision log, and prove that it is whole')
  for (const each of [listCommand(), tailCommand(), verifyCommand(), expireCommand()]) command.addCommand(each)
  return command
}
