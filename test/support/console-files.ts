import { readFileSync } from 'node:fs'

import { PACKAGE_ROOT } from '../../src/config.js'
import { BUNDLE_FILE, Bundle } from '../../src/console-bundle/bundle-file.js'

/** What `npm run build` made of the console. */
export const readBundle = (): Bundle =>
  Bundle.parse(JSON.parse(readFileSync(new URL(BUNDLE_FILE, PACKAGE_ROOT), 'utf8')))

/** A script that the document names. */
export const consoleScript = (): string => /\/console\/assets\/(app-\w+\.js)/.exec(readBundle().document)?.[1] ?? ''
