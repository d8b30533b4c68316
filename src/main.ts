import { runCli } from './cli/program.js'
import { endureUnreadOutput } from './log/unread-output.js'

endureUnreadOutput()
process.exitCode = await runCli(process.argv)
