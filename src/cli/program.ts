import { Command, CommanderError } from 'commander'

import { Refusal } from '../domain/refusal.js'
import { StartError } from '../domain/start-error.js'
import { PolicyError } from '../policy/policy-error.js'
import { AnswerIsNo } from './answer-is-no.js'
import { UsageError } from './usage-error.js'

/** Exit codes of every command. */
export const EXIT = { done: 0, no: 1, usage: 2 } as const

/** Each with what it stands on, which is most of the time that a short command takes: loaded where it is asked for. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve.js')).serveCommand()],
  ['migrate', async () => (await import('./migrate.js')).migrateCommand()],
  ['user', async () => (await import('./user.js')).userCommand()],
  ['token', async () => (await import('./token.js')).tokenCommand()],
  ['policy', async () => (await import('./policy.js')).policyCommand()],
  ['audit', async () => (await import('./audit.js')).auditCommand()],
])

/** The command that the line names; all of them where it names none, for the help that lists them. */
const commandsFor = async ([, , name = '']: readonly string[]): Promise<readonly Command[]> => {
  const named = COMMANDS.get(name)
  return Promise.all((named === undefined ? [...COMMANDS.values()] : [named]).map((load) => load()))
}

/**
 * Runs one command line and answers the exit code: 0 done, 1 the answer is no, 2 bad usage. Errors are one line on
 * stderr.
 */
export const runCli = async (argv: readonly string[]): Promise<number> => {
  const program = new Command('linkgate')
    .description('Links whose every operation is decided by one policy function, over rows that admins edit live.')
    .configureOutput({ outputError: (text, write) => write(`linkgate: ${text.replace(/^error: /, '')}`) })
    .showHelpAfterError(false)
    .exitOverride()
  for (const command of await commandsFor(argv)) program.addCommand(command)
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

const everyCommand = (command: Command): readonly Command[] =>
  command.commands.flatMap((each) => [each, ...everyCommand(each)])

/** One line for a person; of a fault that is ours, and not the user's, it says so. */
const describe = (error: unknown): string => {
  if (error instanceof Refusal) {
    const faults = error.errors?.map(({ field, message }) => `${field} ${message}`).join('; ')
    return oneLine([error.title, error.detail, faults].filter(Boolean).join(': '))
  }
  if (error instanceof StartError || error instanceof PolicyError || error instanceof UsageError)
    return oneLine(error.message)
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error)
    return `there is no file ${String(error.path)}`
  return error instanceof Error ? oneLine(`unexpected: ${error.message}`) : 'unexpected fault'
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')
