import type { Command } from 'commander'

import { jsonOption } from '../arguments.js'
import { withKeys } from './keys.js'

interface VerifyOptions {
  readonly key?: readonly string[]
  readonly json?: boolean
}

/** Verifying a file needs no database, so the code that opens one is loaded only if no file is given. */
export const verifyCommand = (audit: Command) =>
  withKeys(
    audit.command('verify').argument('[file]', 'an evidence file, which needs no database and no settings'),
    'a key of the installation (PEM): an earlier one that signed checkpoints, or the one that a file must be signed by',
  )
    .description('verify the log, or an evidence file, and name altered, missing and inserted entries')
    .addOption(jsonOption())
    .action(async (file: string | undefined, { key = [], json = false }: VerifyOptions) => {
      if (file !== undefined) return (await import('./verify-file.js')).verifyFile(file, key, json)
      return (await import('./verify-stored.js')).verifyStored(key, json)
    })
