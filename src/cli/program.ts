import { Command, CommanderError, Help, type Option } from 'commander'

import { messageOf } from '../domain/thrown.js'
import { Refusal } from '../domain/refusal.js'
import { NoInstallation, StartError } from '../domain/start-error.js'
import { PolicyError, describeFaults } from '../policy/policy-error.js'
import { VERSION } from '../version.js'
import { AnswerIsNo, UsageError } from './errors.js'
import { complain } from './print.js'
import { registerNamed, type LoadCommand } from './register-named.js'

const EXIT = { done: 0, no: 1, usage: 2 } as const

const COMMANDS = new Map<string, LoadCommand>([
  ['serve', () => import('./serve.js')],
  ['migrate', () => import('./migrate.js')],
  ['user', () => import('./user.js')],
  ['token', () => import('./token.js')],
  ['visits', () => import('./visits.js')],
  ['import', () => import('./import.js')],
  ['policy', () => import('./policy.js')],
  ['audit', () => import('./audit.js')],
])

/** Runs one command line, and resolves with its exit code. Errors are one line on stderr. */
export const runCli = async (argv: readonly string[]): Promise<number> => {
  const program = new Command('linkgate')
    .description('Link management in which one policy function decides every operation.')
    .version(VERSION, '--version', 'print the version')
    .configureOutput({ outputError: (text) => complain(text.replace(/^error: (?:command-argument )?/, '').trimEnd()) })
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  const args = argv.slice(2)
  const names = args[0] === 'help' ? args.slice(1) : args
  if (args[0] !== '--version') await registerNamed(program, COMMANDS, names)
  try {
    await program.parseAsync([...(unknownIn(program, names) ?? helpLast(args))], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof AnswerIsNo) return EXIT.no
    complain(describe(error))
    return error instanceof UsageError || error instanceof NoInstallation ? EXIT.usage : EXIT.no
  }
}

/** Turns `help audit verify` into `audit verify --help`, because commander reads only the first name after `help`. */
const helpLast = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args

/**
 * The names up to the first unknown one; null if all are known. When help is asked for, commander ignores an unknown
 * name and shows the help of the command before it.
 */
const unknownIn = (program: Command, names: readonly string[]): readonly string[] | null => {
  let command: Command | undefined = program
  for (const [i, name] of names.entries()) {
    if (command.commands.length === 0 || name === 'help' || name.startsWith('-')) return null
    command = command.commands.find((each) => each.name() === name)
    if (command === undefined) return names.slice(0, i + 1)
  }
  return null
}

const describeOption = (option: Option): string =>
  `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`

const describe = (error: unknown): string => {
  if (error instanceof Refusal) {
    // a detail says in words what the faults name by their place in a request
    if (error.detail !== undefined || error.errors === undefined) return error.detail ?? error.title
    return describeFaults(error.errors.map(({ field, message }) => ({ field: '', message: `${field} ${message}` })))
  }
  if (error instanceof StartError || error instanceof PolicyError || error instanceof UsageError) return error.message
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error)
    return `there is no file ${String(error.path)}`
  return `unexpected error: ${messageOf(error)}`
}
