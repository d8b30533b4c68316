import { existsSync } from 'node:fs'

import { chromium } from 'playwright-core'
import type { BrowserContext } from 'playwright-core'

import { makeTemporaryFolder } from './temporary-folder.js'

/** Where Debian has it. */
const PROGRAM = '/usr/bin/chromium'

export const hasChromium = existsSync(PROGRAM)

/** Starts Debian's Chromium with a profile of its own, which asks nothing of the network but the pages under test. */
export const openChromium = async (): Promise<BrowserContext> =>
  chromium.launchPersistentContext(await makeTemporaryFolder(), {
    executablePath: PROGRAM,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
