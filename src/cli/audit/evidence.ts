import type { Command } from 'commander'

import { writeEvidence } from '../../audit/write-evidence.js'
import { AUDIT_READER } from '../../database/decision-log.js'
import { enter } from '../../database/statement.js'
import { createIssuer } from '../../identity/issuer.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted, number } from '../../domain/counted.js'
import { AnswerIsNo, UsageError } from '../errors.js'
import { complain, printPart } from '../print.js'
import { withProgress } from '../progress.js'
import { osUser, withDatabase } from '../session.js'
import { entryCount } from './fault-text.js'
import { readKeys, withKeys } from './keys.js'
import { requirePeriod, time } from './time.js'

interface EvidenceOptions {
  readonly from?: string | null
  readonly to?: string | null
  readonly key?: readonly string[]
}

export const register = (audit: Command) =>
  withKeys(audit.command('evidence'))
    .description(
      'print the entries of a period as one signed file, which "linkgate audit verify FILE" can check anywhere',
    )
    .option('--from <time>', 'entries from this time on, or from a span back from now, such as 24h', time)
    .option('--to <time>', 'entries before this time', time)
    .action(({ from = null, to = null, key = [] }: EvidenceOptions) => {
      requirePeriod(from, to)
      if (from !== null && Date.parse(from) >= Date.now()) throw new UsageError('--from must be in the past')
      return printEvidence(from, to, key)
    })

/** Prints the evidence of a period. Throws AnswerIsNo if the log is not intact, which the file records as well. */
const printEvidence = (from: string | null, to: string | null, keyFiles: readonly string[]): Promise<void> =>
  withDatabase(async (database, { signingKeyFile, externalIssuer }) => {
    const key = await loadSigningKey(signingKeyFile)
    const keys = new Map([...(await readKeys(keyFiles)), [key.kid, key.publicKey] as const])
    let faults = 0
    await withProgress('collecting evidence', async (show) => {
      const parts = database.parts({ id: 'command line', enter: enter(AUDIT_READER, null) }, (client) =>
        writeEvidence(client, {
          from,
          to,
          issuer: externalIssuer?.name ?? createIssuer(key).name,
          key,
          keys,
          madeFor: `${osUser()} (command line)`,
          onFault: () => {
            faults += 1
          },
          onProgress: ({ done, of }) =>
            show(`collecting evidence: ${number(done)} of ${entryCount(of)}`, of === 0 ? 1 : done / of),
        }),
      )
      for await (const part of parts) if (!(await printPart(part))) break
    })
    if (faults === 0) return
    complain(`the log is NOT intact (${counted(faults, 'fault')}; see linkgate audit verify), and the file records it`)
    throw new AnswerIsNo()
  })
