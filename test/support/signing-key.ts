import { join } from 'node:path'

import { loadOrMakeSigningKey } from '../../src/identity/signing-key.js'
import { makeTemporaryFolder } from './temporary-folder.js'

/** A file with a signing key: a setting that names one has to name one that is there. */
export const madeSigningKey = async (file?: string): Promise<string> => {
  const made = file ?? join(await makeTemporaryFolder(), 'key.pem')
  await loadOrMakeSigningKey(made)
  return made
}
