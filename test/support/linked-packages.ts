import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

import { PACKAGE_ROOT } from '../../src/config.js'

const flag = z.boolean().default(false)
const Lock = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ dev: flag, devOptional: flag, optional: flag })),
})

/**
 * Environment of a program with linked packages: it looks for packages beside the links, not beside what they lead to,
 * where everything stands that development needs.
 */
export const AS_LAID_OUT = { NODE_OPTIONS: '--preserve-symlinks' }

/** Whether a production package is left out. It is optional where `npm install --omit=optional` leaves it out. */
type LeavesOut = (name: string, isOptional: boolean) => boolean

/** Makes a folder of the packages that `npm ci --omit=dev` installs, each a link to the one that is installed here. */
export const linkPackages = async (into: string, leavesOut: LeavesOut): Promise<void> => {
  const lock = await readFile(new URL('package-lock.json', PACKAGE_ROOT), 'utf8')
  for (const [path, { dev, devOptional, optional }] of Object.entries(Lock.parse(JSON.parse(lock)).packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    const installed = fileURLToPath(new URL(path, PACKAGE_ROOT))
    if (name === undefined || dev || devOptional || leavesOut(name, optional) || !existsSync(installed)) continue
    await mkdir(dirname(join(into, name)), { recursive: true })
    await symlink(installed, join(into, name))
  }
}
