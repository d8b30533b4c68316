import { Readable } from 'node:stream'

import { expect } from 'chai'

import { runCli } from '../../src/cli/program.js'

export interface CliAnswer {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface CliOptions {
  /** settings for the length of the command, in place of those of this process */
  readonly environment: Readonly<Record<string, string>>
  readonly stdin?: string | Buffer
  /** what a write to stdout answers: false until 'drain' */
  readonly write?: () => boolean
}

/**
 * Runs one command line in this process, and answers what it wrote and its exit code. One at a time: it borrows the
 * process's streams.
 */
export const runCommand = async (
  args: readonly string[],
  { environment, stdin = '', write = () => true }: CliOptions,
): Promise<CliAnswer> => {
  const written = { out: '', err: '' }
  const { env } = process
  const given = Object.getOwnPropertyDescriptor(process, 'stdin')
  const [out, err] = [process.stdout.write, process.stderr.write]
  process.env = { PATH: env['PATH'], HOME: env['HOME'], ...environment }
  Object.defineProperty(process, 'stdin', {
    value: Readable.from([typeof stdin === 'string' ? Buffer.from(stdin) : stdin]),
    configurable: true,
  })
  process.stdout.write = (text: string | Uint8Array) => {
    written.out += String(text)
    return write()
  }
  process.stderr.write = (text: string | Uint8Array) => {
    written.err += String(text)
    return true
  }
  try {
    return { code: await runCli(['node', 'linkgate', ...args]), ...written }
  } finally {
    process.stdout.write = out
    process.stderr.write = err
    process.env = env
    if (given) Object.defineProperty(process, 'stdin', given)
  }
}

/** What a command line writes that succeeds and has nothing to say on stderr; fails where one does not. */
export const outputOf = async (args: readonly string[], options: CliOptions): Promise<string> => {
  const { code, out, err } = await runCommand(args, options)
  expect({ code, err }, args.join(' ')).to.deep.equal({ code: 0, err: '' })
  return out
}
