import { expireMonths } from '../../audit/expire-months.js'
import { openAsOwner } from '../../database/open.js'
import { withConnection } from '../../database/with-connection.js'
import { StartError } from '../../domain/start-error.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted } from '../../domain/counted.js'
import { print } from '../print.js'
import { settings, whileOpen } from '../session.js'
import { entryCount } from './fault-text.js'
import { verifyAll } from './verify-stored.js'

interface Expiry {
  readonly before: string
  readonly keyFiles: readonly string[]
  readonly dryRun: boolean
}

/** Drops months as the schema's owner, because the service's own role cannot delete. */
export const expireStored = async ({ before, keyFiles, dryRun }: Expiry): Promise<void> => {
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
