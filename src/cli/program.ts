import { Command, CommanderError } from 'commander'

import { Refusal } from '../domain/refusal.js'
import { StartError } from '../domain/start-error.js'
import { PolicyError } from '../policy/policy-error.js'
import { auditCommand } from './audit.js'
import { AnswerIsNo } from './answer-is-no.js'
import { migrateCommand } from './migrate.js'
import { policyCommand } from './policy.js'
import { serveCommand } from './serve.js'
import { tokenCommand } from './token.js'
import { UsageError } from './usage-error.js'
import { userCommand } from './user.js'

/** Exit codes of every command. */
export const EXIT = { done: 0, no: 1, usage: 2 } as const

/** Runs one command line and answers the exit code: 0 done, 1 the answer is no, 2 bad usage. Errors are one line on stderr. */
export const runCli = async (argv: readonly string[]): Promise<number> => {
  const program = new Command('linkgate')
    .description('Links whose every operation is decided by one policy function, over rows that admins edit live.')
    .configureOutput({ outputError: (text, write) => write(`linkgate: ${text.replace(/^error: /, '')}`) })
    .showHelpAfterError(false)
    .exitOverride()
  for (const command of [serveCommand(), migrateCommand(), userCommand(), tokenCommand(), policyCommand(), auditCommand()]) {
    program.addCommand(command)
  }
  for (const command of everyCommand(program)) command.exitOverride().copyInheritedSettings(program)
  try {
    await program.parseAsync([...argv])
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof AnswerIsNo) return EXIT.no
    process.stderr.write(`linkgate: ${describe(error)}\n`)
    return error instanceof UsageError ? EXIT.usage : EXIT.no
  }
}

const everyCommand = (command: Command): readonly Command[] => command.commands.flatMap((each) => [each, ...everyCommand(each)])

/** One line for a person. A fault that is ours, and not the user's, keeps its stack for the report. */
const describe = (error: unknown): string => {
  if (error instanceof Refusal) {
    const faults = error.errors?.map(({ field, message }) => `${field} ${message}`).join('; ')
    return oneLine([error.title, error.detail, faults].filter(Boolean).join(': '))
  }
  if (error instanceof StartError || error instanceof PolicyError || error instanceof UsageError) return oneLine(error.message)
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error) return `there is no file ${String(error.path)}`
  return error instanceof Error ? oneLine(`unexpected: ${error.message}`) : 'unexpected fault'
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')
