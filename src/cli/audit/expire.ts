import type { Command } from 'commander'

import { expireMonths } from '../../audit/expire-months.js'
import { openAsOwner } from '../../database/open.js'
import { withConnection } from '../../database/with-connection.js'
import { StartError } from '../../domain/start-error.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted } from '../../domain/counted.js'
import { checked } from '../arguments.js'
import { print } from '../print.js'
import { settings, whileOpen } from '../session.js'
import { entryCount } from './fault-text.js'
import { withKeys } from './keys.js'
import { verifyAll } from './verify-stored.js'

const month = checked(
  (text) => /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])$/.test(text) && text <= new Date().toISOString().slice(0, 7),
  'must be a month such as 2026-01, and must not be later than this month',
)

interface ExpireOptions {
  readonly before: string
  readonly key?: readonly string[]
  readonly dryRun?: boolean
}

export const register = (audit: Command) =>
  withKeys(audit.command('expire'))
    .description('drop whole months of the log; the rest can still be verified')
    .requiredOption('--before <month>', 'drop the months before this one (UTC), such as 2026-01', month)
    .option('--dry-run', 'print what would be dropped, without dropping anything')
    .action(({ before, key = [], dryRun = false }: ExpireOptions) => expire(before, key, dryRun))

/** Drops months as the schema's owner, because the service's own role cannot delete. */
const expire = async (before: string, keyFiles: readonly string[], dryRun: boolean): Promise<void> => {
  // A log with faults is evidence, and stays.
  const { faults } = (await verifyAll(keyFiles, 'verifying the log first')).verdict
  if (faults > 0)
    throw new StartError(
      `nothing was dropped: the log is not intact (${counted(faults, 'fault')}; see linkgate audit verify)`,
    )
  const config = settings()
  const key = await loadSigningKey(config.signingKeyFile)
  const expired = await whileOpen(config, openAsOwner(config), ({ owner }) =>
    withConnection(owner, (client) => expireMonths(client, { before, key, dryRun })),
  )
  const done = dryRun ? 'would drop' : 'dropped'
  print(
    expired.map(({ month, entries }) => `${done}  ${month}  ${entryCount(entries)}`).join('\n') ||
      `there is nothing before ${before}`,
  )
}
