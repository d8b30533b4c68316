import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { z } from 'zod'

const Root = z.looseObject({ name: z.string(), devDependencies: z.unknown() })
const Lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) })

/**
 * A CycloneDX document of all that an installation may hold, on any platform, from package.json and package-lock.json.
 * Packages of development are taken out of both before npm reads them: `npm sbom --omit=dev` also leaves out every
 * package that one of those happens to share with production, such as koa.
 */
export const billOfMaterials = (manifest: string, lockFile: string): string => {
  const { devDependencies: _, ...root } = Root.parse(JSON.parse(manifest))
  const lock = Lock.parse(JSON.parse(lockFile))
  const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const place = mkdtempSync(join(tmpdir(), 'linkgate-release-'))
  // npm calls the document after the folder
  const folder = join(place, root.name)
  const write = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value))
  try {
    mkdirSync(folder)
    write('package.json', root)
    write('package-lock.json', { ...lock, packages: { '': root, ...Object.fromEntries(installed) } })
    const form = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--silent']
    return execFileSync('npm', ['sbom', ...form], { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
