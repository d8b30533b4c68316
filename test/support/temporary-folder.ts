import { chmod, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder that other users may pass through, so that a server started as root can keep its files in it. */
export const makeTemporaryFolder = async (prefix = 'linkgate-test-'): Promise<string> => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), prefix))
  await chmod(folder, 0o711)
  return folder
}
