import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from './config.js'

interface Package {
  readonly version: string
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const { version, optionalDependencies }: Package = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
)

/** The program's own, of package.json. */
export const VERSION = version

/** Version ranges of the packages that an installation may leave out, by their names (docs/decisions/0029). */
export const OPTIONAL_PACKAGES = optionalDependencies
