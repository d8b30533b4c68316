import { writeEvidence } from '../../audit/write-evidence.js'
import { AUDIT_READER } from '../../database/decision-log.js'
import { enter } from '../../database/enter.js'
import { createIssuer } from '../../identity/issuer.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted, number } from '../../domain/counted.js'
import { AnswerIsNo } from '../errors.js'
import { complain, printPart } from '../print.js'
import { withProgress } from '../progress.js'
import { osUser, withDatabase } from '../session.js'
import { entryCount } from './fault-text.js'
import { readKeys } from './keys.js'

interface Wanted {
  readonly from: string | null
  readonly to: string | null
  readonly keyFiles: readonly string[]
}

/** Prints the evidence of a period. Throws AnswerIsNo if the log is not intact, which the file records as well. */
export const printEvidence = ({ from, to, keyFiles }: Wanted): Promise<void> =>
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
