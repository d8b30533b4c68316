import type { Command } from 'commander'

import { checked } from '../arguments.js'
import { withKeys } from './keys.js'

const month = checked(
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && text <= new Date().toISOString().slice(0, 7),
  'must be a month such as 2026-01, and must not be later than this month',
)

interface ExpireOptions {
  readonly before: string
  readonly key?: readonly string[]
  readonly dryRun?: boolean
}

export const expireCommand = (audit: Command) =>
  withKeys(audit.command('expire'), 'an earlier signing key (PEM) that signed checkpoints')
    .description('drop whole months of the log; the rest can still be verified')
    .requiredOption('--before <month>', 'drop the months before this one (UTC), such as 2026-01', month)
    .option('--dry-run', 'print what would be dropped, without dropping anything')
    .action(async ({ before, key = [], dryRun = false }: ExpireOptions) =>
      (await import('./expire-stored.js')).expireStored({ before, keyFiles: key, dryRun }),
    )
