import { readFile } from 'node:fs/promises'

import { publicKeyOf } from '../../audit/checkpoint.js'
import type { CheckpointKeys } from '../../audit/checkpoint.js'
import type { Config } from '../../config.js'
import { loadSigningKey } from '../../identity/signing-key.js'
import { UsageError } from '../usage-error.js'

/** The installation's key, and earlier ones whose checkpoints are still kept (PEM files, private or public). */
export const checkpointKeys = async (
  { signingKeyFile }: Config,
  earlier: readonly string[],
): Promise<CheckpointKeys> => {
  const own = await loadSigningKey(signingKeyFile)
  const others = await Promise.all(
    earlier.map(async (file) => {
      const pem = await readFile(file, 'utf8')
      return publicKeyOf(pem).catch(() => {
        throw new UsageError(`${file} holds no key in PEM form`)
      })
    }),
  )
  return new Map([[own.kid, own.publicKey], ...others])
}
