import { existsSync } from 'node:fs'

import { chromium, type Browser, type BrowserContext } from 'playwright-core'

const WHOLE = '/usr/bin/chromium'
/**
 * Where Debian has it. The shell is the same engine without the parts of a browser that nobody sees here, and costs a
 * fifth less processor time.
 */
const PROGRAM = ['/usr/bin/chromium-headless-shell', WHOLE].find((path) => existsSync(path))

export const hasChromium = PROGRAM !== undefined

/** Whether there is a browser that shows a page as it was left after Back; the shell never does. */
export const hasBackCache = existsSync(WHOLE)

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  // one process less to start and to talk to
  '--in-process-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // no page of a test lives long enough to earn back what the last tiers of compilation cost
  '--js-flags=--no-turbofan --no-maglev',
]

let browser: Promise<Browser> | undefined

const start = (): Promise<Browser> =>
  chromium.launch({
    ...(PROGRAM !== undefined && { executablePath: PROGRAM }),
    headless: true,
    args: ARGS,
  })

/** A browser of its own that shows a page as it was left after Back. Close it. */
export const openWithBackCache = (): Promise<Browser> =>
  chromium.launch({
    executablePath: WHOLE,
    headless: true,
    args: ARGS,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })

/**
 * A profile of its own in Debian's Chromium, which asks nothing of the network but the pages under test. All profiles
 * share one process, which ends with this one.
 */
export const openChromium = async (): Promise<BrowserContext> => (await (browser ??= start())).newContext()
