import { runCli } from './cli/program.js'
import { endureUnreadOutput } from './log/unread-output.js'

endureUnreadOutput()
const code = await runCli(process.argv)
// 1 already if the output could not be written
if (code !== 0) process.exitCode = code
