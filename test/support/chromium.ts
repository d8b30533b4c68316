import { existsSync } from 'node:fs'

import { chromium } from 'playwright-core'
import type { Browser, BrowserContext } from 'playwright-core'

/** Where Debian has it. */
const PROGRAM = '/usr/bin/chromium'

export const hasChromium = existsSync(PROGRAM)

let browser: Promise<Browser> | undefined
let contexts = 0

const start = (): Promise<Browser> =>
  chromium.launch({
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

/**
 * A profile of its own in Debian's Chromium, which asks nothing of the network but the pages under test. The profiles
 * that are open at the same time share one process, which ends with the last of them.
 */
export const openChromium = async (): Promise<BrowserContext> => {
  contexts += 1
  const shared = (browser ??= start())
  const context = await (await shared).newContext()
  context.once('close', () => {
    contexts -= 1
    if (contexts > 0) return
    browser = undefined
    void shared.then((each) => each.close())
  })
  return context
}
