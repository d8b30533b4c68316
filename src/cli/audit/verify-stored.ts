import { existsSync } from 'node:fs'

import { keepFaults } from '../../audit/verdict.js'
import { verifyLog, type LogFault, type LogVerdict } from '../../audit/verify-log.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { counted, number } from '../../domain/counted.js'
import { withProgress } from '../progress.js'
import { withDatabase } from '../session.js'
import { entryCount, notIntact, printVerdict } from './fault-text.js'
import { readKeys } from './keys.js'

/** Verifies the log of the configured database. Throws AnswerIsNo if it is not intact. */
export const verifyStored = async (keyFiles: readonly string[], json: boolean): Promise<void> => {
  const { verdict, faults } = await verifyAll(keyFiles, 'verifying the log')
  printVerdict(verdict, faults, json ? undefined : render(verdict, faults))
}

/** Verifies the log with the installation's key, and earlier ones in these PEM files. */
export const verifyAll = (keyFiles: readonly string[], progress: string) =>
  withDatabase(async (database, { signingKeyFile }) => {
    // an auditor may have only the given keys
    const isOnlyGiven = keyFiles.length > 0 && !existsSync(signingKeyFile)
    const own = isOnlyGiven ? null : await loadSigningKey(signingKeyFile)
    const keys = new Map(await readKeys(keyFiles))
    if (own !== null) keys.set(own.kid, own.publicKey)
    const { faults, onFault } = keepFaults<LogFault>()
    const verdict = await withProgress(progress, (show) =>
      verifyLog(database, {
        keys,
        onFault,
        onProgress: ({ done, of }) =>
          show(`${progress}: ${number(done)} of ${entryCount(of)}`, of === 0 ? 1 : done / of),
      }),
    )
    return { verdict, faults }
  })

const render = (verdict: LogVerdict, faults: readonly LogFault[]): string => {
  const { chains, retired, checkpoint, faults: found } = verdict
  const all = `${entryCount(verdict.entries)} in ${counted(chains, 'chain')}`
  const what = retired === 0 ? all : `${all}, after ${entryCount(retired)} that expired`
  if (found > 0) return notIntact(found, what, faults)
  return checkpoint === null
    ? `intact: ${what}; no checkpoint has been signed yet, which would prove more`
    : `intact: ${what}; matches the checkpoint signed at ${checkpoint}`
}
