import type { Command } from 'commander'

import { UsageError } from '../errors.js'
import { withKeys } from './keys.js'
import { time } from './time.js'

interface EvidenceOptions {
  readonly from?: string | null
  readonly to?: string | null
  readonly key?: readonly string[]
}

export const evidenceCommand = (audit: Command) =>
  withKeys(audit.command('evidence'), 'an earlier signing key (PEM) that signed checkpoints')
    .description(
      'print the entries of a period as one signed file, which "linkgate audit verify FILE" can check anywhere',
    )
    .option('--from <time>', 'entries from this time on, or from a span back from now, such as 24h', time)
    .option('--to <time>', 'entries before this time', time)
    .action(async ({ from = null, to = null, key = [] }: EvidenceOptions) => {
      if (from !== null && to !== null && from >= to) throw new UsageError('--from must be before --to')
      if (from !== null && Date.parse(from) >= Date.now()) throw new UsageError('--from must be in the past')
      await (await import('./print-evidence.js')).printEvidence({ from, to, keyFiles: key })
    })
