import type { Command } from 'commander'

import { registerNamed, type LoadCommand } from './register-named.js'

const COMMANDS = new Map<string, LoadCommand>([
  ['list', () => import('./audit/list.js')],
  ['tail', () => import('./audit/tail.js')],
  ['verify', () => import('./audit/verify.js')],
  ['evidence', () => import('./audit/evidence.js')],
  ['expire', () => import('./audit/expire.js')],
])

export const register = (program: Command, rest: readonly string[]): Promise<void> =>
  registerNamed(program.command('audit').description('read and verify the decision log'), COMMANDS, rest)
