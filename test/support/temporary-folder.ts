import { rmSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { temporaryRoot } from './run-folder.js'

const OF_TESTS = 'linkgate-test-'
const made = new Set<string>()

/**
 * A new folder that other users may pass through, so that a server started as root can keep its files in it. Those of
 * tests go at the end of them (root hooks), or with the process; whoever asks for a prefix of their own deletes it.
 */
export const makeTemporaryFolder = async (prefix = OF_TESTS): Promise<string> => {
  const folder = await mkdtemp(join(await realpath(temporaryRoot()), prefix))
  await chmod(folder, 0o711)
  if (prefix === OF_TESTS) made.add(folder)
  return folder
}

/** Deletes those of tests. One in which something still writes is left until the end of the process. */
export const removeTemporaryFolders = async (): Promise<void> => {
  await Promise.all(
    [...made].map((folder) =>
      rm(folder, { recursive: true, force: true }).then(
        () => made.delete(folder),
        () => undefined,
      ),
    ),
  )
}

process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})
