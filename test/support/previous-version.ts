import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { PACKAGE_ROOT } from '../../src/config.js'
import { makeTemporaryFolder } from './temporary-folder.js'

/** The last state before the log was chained (0006): what an upgrade to this version starts from. */
const COMMIT = '3c339090eee4650fbd1263db568ced9f8d9fb9ca'

export interface PreviousVersion {
  /** its `bin/linkgate.js`, built */
  readonly program: string
  readonly migrations: URL
}

const ROOT = fileURLToPath(PACKAGE_ROOT)
const run = promisify(execFile)

/**
 * The version before this one out of the history, built beside it; null where the history is not there (a shallow
 * clone, a release).
 */
export const previousVersion = async (): Promise<PreviousVersion | null> => {
  const has = await run('git', ['-C', ROOT, 'cat-file', '-e', `${COMMIT}^{commit}`]).then(
    () => true,
    () => false,
  )
  if (!has) return null
  const folder = await makeTemporaryFolder()
  await run('sh', ['-c', 'git -C "$1" archive "$2" | tar -x -C "$3"', 'sh', ROOT, COMMIT, folder])
  // what it depends on is all here; koa-helmet is for it alone, among the dependencies of development
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: folder,
  })
  return { program: join(folder, 'bin/linkgate.js'), migrations: pathToFileURL(join(folder, 'migrations/')) }
}
