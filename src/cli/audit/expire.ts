import type { Command } from 'commander'

import { expireMonths } from '../../audit/expire-months.js'
import { withOwner } from '../../database/open.js'
import { StartError } from '../../domain/start-error.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { checked } from '../arguments.js'
import { counted } from '../policy/render.js'
import { print, settings } from '../session.js'
import { verifyAll, withKeys } from './verify.js'

const month = checked(
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && text <= new Date().toISOString().slice(0, 7),
  'must be a month such as 2026-01, and must not be later than this month',
)

interface Options {
  readonly before: string
  readonly key?: readonly string[]
  readonly dryRun?: true
}

/** Runs as the schema's owner, because the service's own role cannot delete. */
export const expireCommand = (audit: Command) =>
  withKeys(audit.command('expire'))
    .description('drop whole months of the log; the rest can still be verified')
    .requiredOption('--before <month>', 'drop the months before this one (UTC), such as 2026-01', month)
    .option('--dry-run', 'print what would be dropped, and drop nothing')
    .action(async ({ before, key: keyFiles = [], dryRun }: Options) => {
      // A log with faults keeps its evidence.
      const { faults } = (await verifyAll(keyFiles, 'verifying the log first')).verdict
      if (faults > 0)
        throw new StartError(
          `nothing was dropped: the log is not intact (${counted(faults, 'fault')}; see linkgate audit verify)`,
        )
      const config = settings()
      const key = await loadSigningKey(config.signingKeyFile)
      const options = { before, key, dryRun: dryRun === true }
      const expired = await withOwner(config, (client) => expireMonths(client, options))
      const done = dryRun ? 'would drop' : 'dropped'
      print(
        expired.map(({ month, entries }) => `${done}  ${month}  ${counted(entries, 'entry', 'entries')}`).join('\n') ||
          `there is nothing before ${before}`,
      )
    })
