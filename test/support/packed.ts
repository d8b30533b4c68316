import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { z } from 'zod'

import { PACKAGE_ROOT } from '../../src/config.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(PACKAGE_ROOT)
const NOT_COPIED = new Set(['.git', 'data', 'dist', 'node_modules'])

/** Copies the sources of this repository, so that a build in the copy disturbs nobody. Packages are linked. */
export const copyRepository = async (to: string): Promise<void> => {
  await mkdir(to)
  for (const name of await readdir(ROOT))
    if (!NOT_COPIED.has(name)) await cp(join(ROOT, name), join(to, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'))
}

/** Runs npm to its end, and answers what it wrote on stdout. Rejects with what it wrote where it fails. */
export const npm = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (await run('npm', [...args, '--no-audit', '--no-fund'], { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout

const Lock = z.looseObject({
  lockfileVersion: z.number(),
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })),
})

/**
 * Installs a packed tarball into an empty folder, without development dependencies, in the versions of this
 * repository's lock file: npm's cache has them since they were installed here. False where a package is missing there
 * and the registry cannot be reached.
 */
export const installPacked = async (folder: string, tarball: string): Promise<boolean> => {
  const { lockfileVersion, packages } = Lock.parse(
    JSON.parse(await readFile(new URL('package-lock.json', PACKAGE_ROOT), 'utf8')),
  )
  const dependencies = { linkgate: `file:${tarball}` }
  const { devDependencies: _, ...linkgate } = packages[''] ?? {}
  const entries = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const lock = {
    lockfileVersion,
    packages: {
      '': { dependencies },
      'node_modules/linkgate': { ...linkgate, resolved: `file:${tarball}` },
      ...Object.fromEntries(entries),
    },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  try {
    await npm(folder, 'install', '--omit=dev', '--prefer-offline', '--fetch-retries=1')
    return true
  } catch (error) {
    const isOffline = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/
    if (isOffline.test(String(error))) return false
    throw error
  }
}
