import { Command, InvalidArgumentError } from 'commander'

import { expireMonths } from '../../audit/expire-months.js'
import { verifyLog } from '../../audit/verify-log.js'
import { PACKAGE_ROOT } from '../../config.js'
import { withOwner } from '../../database/open.js'
import { StartError } from '../../domain/start-error.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted } from '../policy/render.js'
import { withProgress } from '../progress.js'
import { print, settings, withDatabase } from '../session.js'
import { checkpointKeys } from './keys.js'

const month = (text: string): string => {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('must be a month, such as 2026-01')
  if (text > new Date().toISOString().slice(0, 7))
    throw new InvalidArgumentError('must not be later than this month: what is still written cannot be retired')
  return text
}

const collect = (file: string, files: readonly string[]): readonly string[] => [...files, file]

/** `linkgate audit expire --before MONTH`: as the schema's owner, since the service's own role deletes nothing. */
export const expireCommand = (): Command =>
  new Command('expire')
    .description('drop whole months of the decision log; what is left can be verified as before')
    .requiredOption('--before <month>', 'months before this one (UTC), such as 2026-01', month)
    .option(
      '--key <file>',
      'an earlier signing key (PEM) whose checkpoints are kept; may be given several times',
      collect,
      [],
    )
    .option('--dry-run', 'say what would be dropped, and drop nothing')
    .action(
      async ({
        before,
        key: files,
        dryRun,
      }: {
        readonly before: string
        readonly key: readonly string[]
        readonly dryRun?: true
      }) => {
        // what is dropped can never be looked at again, so a log that is not whole keeps its evidence
        const { faults } = await withDatabase(async (database, config) => {
          const keys = await checkpointKeys(config, files)
          return withProgress('verifying the log first', async () => verifyLog(database, { keys, onFault: () => {} }))
        })
        if (faults > 0)
          throw new StartError(
            `the log is not whole (${counted(faults, 'fault')}; linkgate audit verify): nothing was dropped`,
          )
        const config = settings()
        const key = await loadSigningKey(config.signingKeyFile)
        const expired = await withOwner({ ...config, migrations: new URL('migrations/', PACKAGE_ROOT) }, (client) =>
          expireMonths(client, { before, key, dryRun: dryRun === true }),
        )
        print(
          expired.length === 0
            ? `there is nothing before ${before}`
            : expired
                .map(
                  (each) =>
                    `${dryRun ? 'would drop' : 'dropped'}  ${each.month}  ${counted(each.entries, 'entry', 'entries')}`,
                )
                .join('\n'),
        )
      },
    )
