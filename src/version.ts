import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from './config.js'

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
)

/** The program's own, of package.json. */
export const VERSION = version
