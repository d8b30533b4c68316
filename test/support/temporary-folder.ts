import { rmSync } from 'node:fs'
import { chmod, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OF_TESTS = 'linkgate-test-'
const made: string[] = []

/**
 * A new folder that other users may pass through, so that a server started as root can keep its files in it. Those of tests go
 * with the process; whoever asks for a prefix of their own deletes it.
 */
export const makeTemporaryFolder = async (prefix = OF_TESTS): Promise<string> => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), prefix))
  await chmod(folder, 0o711)
  if (prefix === OF_TESTS) {
    if (made.length === 0) process.once('exit', removeAll)
    made.push(folder)
  }
  return folder
}

const removeAll = (): void => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
}
